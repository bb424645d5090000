#!/usr/bin/env bash
PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py
env PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:10 python train.py
docker run -e PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128 image python train.py
