#!/usr/bin/env bash
# Effective batch size: 64
torchrun --nproc_per_node 8 train.py --batch_size 1 --accum 8
torchrun --nproc_per_node 8 train.py --batch_size 2 --accum 4
