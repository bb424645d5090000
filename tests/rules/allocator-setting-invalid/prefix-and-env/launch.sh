#!/usr/bin/env bash
PYTORCH_CUDA_ALLOC_CONF=expandable_segments:1 python train.py
env PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:10 python train.py
docker run -e PYTORCH_CUDA_ALLOC_CONF=max_split_size:128 image python train.py
