#!/usr/bin/env bash
swift rlhf \
  --model my-org/tiny-llama \
  --dataset data/train.jsonl \
  --torch_dtype bfloat16 \
  --rlhf_type grpo \
  --reward_funcs accuracy \
  --num_generations 4 \
  --per_device_train_batch_size 4 \
  --use_vllm true \
  --vllm_mode colocated \
  --output_dir out
