#!/usr/bin/env bash
swift sft \
  --model my-org/tiny-llama \
  --dataset data/train.jsonl \
  --torch_dtype bfloat16 \
  --per_device_train_batch_size four \
  --output_dir out
