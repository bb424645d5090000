#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=0
torchrun --nproc_per_node 2 train.py
