#!/usr/bin/env bash
export PYTORCH_ALLOC_CONF="max_split_size_mb:128,expandable_segments:True"
python train.py
