#!/usr/bin/env bash
# effective batch = 64
torchrun --nproc_per_node 8 train.py --batch_size "$1" --accum 4
