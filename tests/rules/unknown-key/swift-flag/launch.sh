#!/usr/bin/env bash
swift sft \
  --model my-org/tiny-llama \
  --dataset data/train.jsonl \
  --torch_dtype bfloat16 \
  --batch_size 4 \
  --output_dir out
