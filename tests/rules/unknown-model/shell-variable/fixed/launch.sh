#!/usr/bin/env bash
MODEL=Qwen/Qwen2.5-7B-Instruct
torchrun --nproc_per_node 2 train.py --model_name_or_path "$MODEL"
