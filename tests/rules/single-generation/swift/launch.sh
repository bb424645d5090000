#!/usr/bin/env bash
swift rlhf \
  --model my-org/tiny-llama \
  --dataset data/train.jsonl \
  --torch_dtype bfloat16 \
  --rlhf_type grpo \
  --reward_funcs accuracy \
  --num_generations 1 \
  --output_dir out
