#!/usr/bin/env bash
torchrun --nproc_per_node "$N" train.py
