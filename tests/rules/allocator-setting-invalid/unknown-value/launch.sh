#!/usr/bin/env bash
export PYTORCH_CUDA_ALLOC_CONF="expandable_segments:$1"
python train.py
