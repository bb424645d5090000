#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=
torchrun --nproc_per_node 2 train.py
