#!/usr/bin/env bash
ACCUM=8
torchrun --nproc_per_node 8 train.py --batch_size 4 --accum "$ACCUM"
