#!/usr/bin/env bash
swift sft \
  --model my-org/tiny-llama \
  --dataset data/train.jsonl \
  --torch_dtype float32 \
  --bf16 true \
  --output_dir out
