#!/usr/bin/env bash
llamafactory-cli train config.json
