#!/usr/bin/env bash
ACCELERATE_MIXED_PRECISION=bf16 accelerate launch --mixed_precision fp16 train.py
