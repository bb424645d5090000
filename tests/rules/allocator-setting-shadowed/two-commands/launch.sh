#!/usr/bin/env bash
PYTORCH_ALLOC_CONF=expandable_segments:True python train.py
PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64 python train.py
