#!/usr/bin/env bash
export ACCELERATE_MIXED_PRECISION=bf16
torchrun --nproc_per_node 1 train.py
