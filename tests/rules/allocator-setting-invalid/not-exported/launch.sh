#!/usr/bin/env bash
PYTORCH_CUDA_ALLOC_CONF=expandable_segments:true
echo "$PYTORCH_CUDA_ALLOC_CONF"
