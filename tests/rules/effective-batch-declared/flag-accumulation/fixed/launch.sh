#!/usr/bin/env bash
torchrun --nproc_per_node 8 train.py --batch_size 4 --accum 4
