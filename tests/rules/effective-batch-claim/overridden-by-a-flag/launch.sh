#!/usr/bin/env bash
# 有效 batch = 4 × 4 × 8 = 128
torchrun --nproc_per_node 8 train.py --batch_size 4 --accum 4
