#!/usr/bin/env bash
deepspeed --module openrlhf.cli.train_sft \
  --model.model_name_or_path my-org/tiny-llama \
  --data.dataset data/train.jsonl \
  --train.batch_size 96 \
  --train.micro_batch_size 8
