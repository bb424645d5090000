#!/usr/bin/env bash
export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:8,garbage_collection_threshold:80,roundup_power2_divisions:3,backend:cudamallocasync
python train.py
