#!/usr/bin/env bash
axolotl train config.yaml --gradient-accumulation-steps 4
