#!/usr/bin/env bash
export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128,expandable_segments:True,foo:1
python train.py
