#!/usr/bin/env bash
export ACCELERATE_MIXED_PRECISION=bf16
accelerate launch --config_file accelerate_config.yaml train.py
