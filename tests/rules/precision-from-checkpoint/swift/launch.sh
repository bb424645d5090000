#!/usr/bin/env bash
swift sft \
  --model my-org/tiny-llama \
  --dataset data/train.jsonl \
  --torch_dtype float32 \
  --output_dir out
