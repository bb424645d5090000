#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=0,1 \
swift sft \
  --model my-org/tiny-llama \
  --dataset data/train.jsonl \
  --torch_dtype bfloat16 \
  --deepspeed zero2 \
  --output_dir out
