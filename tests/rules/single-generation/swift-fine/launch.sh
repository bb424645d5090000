#!/usr/bin/env bash
swift rlhf \
  --model my-org/tiny-llama \
  --dataset data/train.jsonl \
  --torch_dtype bfloat16 \
  --rlhf_type grpo \
  --reward_funcs accuracy \
  --num_generations 2 \
  --per_device_train_batch_size 2 \
  --output_dir out
