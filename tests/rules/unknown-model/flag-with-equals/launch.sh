#!/usr/bin/env bash
torchrun --nproc_per_node 2 train.py --model_name_or_path="meta-llama/Llama-3.1-7B-Instruct"
