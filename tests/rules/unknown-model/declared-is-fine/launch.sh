#!/usr/bin/env bash
torchrun --nproc_per_node 2 train.py --model_name_or_path Qwen/Qwen3-1.8B
