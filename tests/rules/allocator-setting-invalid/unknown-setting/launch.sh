#!/usr/bin/env bash
export PYTORCH_CUDA_ALLOC_CONF=max_split_sizes_mb:128,expandible_segment:True,foo:1
python train.py
