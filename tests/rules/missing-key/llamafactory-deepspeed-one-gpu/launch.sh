#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=0
llamafactory-cli train config.yaml
