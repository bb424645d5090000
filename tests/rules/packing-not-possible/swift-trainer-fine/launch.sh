#!/usr/bin/env bash
swift rlhf \
  --model my-org/tiny-llama \
  --dataset data/train.jsonl \
  --torch_dtype bfloat16 \
  --rlhf_type ppo \
  --reward_model my-org/rm \
  --output_dir out
