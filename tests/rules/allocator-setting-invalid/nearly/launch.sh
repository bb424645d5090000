#!/usr/bin/env bash
export PYTORCH_CUDA_ALLOC_CONF="expandable_segments: True, garbage_collection_threshold:0.8, roundup_power2_divisions:[256:1,512:2,>:4],"
python train.py
