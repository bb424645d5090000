#!/usr/bin/env bash
export ACCELERATE_MIXED_PRECISION=bf16
accelerate launch --config_file $1 train.py
