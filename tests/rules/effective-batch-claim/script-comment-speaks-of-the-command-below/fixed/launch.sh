#!/usr/bin/env bash
# effective batch = 4 x 4 x 2 = 32
torchrun --nproc_per_node 2 train.py --batch_size 4 --accum 4

# effective batch = 2 x 4 x 8 = 64
torchrun --nproc_per_node 8 train.py --batch_size 2 --accum 2
