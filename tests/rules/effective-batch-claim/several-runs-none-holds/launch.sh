#!/usr/bin/env bash
torchrun --nproc_per_node 8 train.py
torchrun --nproc_per_node 2 train.py
