#!/usr/bin/env bash
export PYTORCH_ALLOC_CONF=$1
export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64
python train.py
