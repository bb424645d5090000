#!/bin/bash
ARGS=(
    --model Qwen/Qwen2.5-7B
    --batch-size 2
    --grad-accum 16
)
torchrun --nproc_per_node 4 train.py "${ARGS[@]}"
