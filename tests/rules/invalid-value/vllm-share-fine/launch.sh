#!/usr/bin/env bash
python3 -m openrlhf.cli.train_ppo_ray \
  --actor.model_name_or_path my-org/tiny-llama \
  --reward.remote_url rewards.py \
  --data.prompt_dataset data/p.jsonl \
  --vllm.num_engines 2 \
  --vllm.gpu_memory_utilization 0.9
