#!/usr/bin/env bash
llamafactory-cli train \
  --model_name_or_path my-org/tiny-llama \
  --stage sft --do_train true \
  --finetuning_type lora \
  --per_device_train_batch_size 4 \
  --dataset alpaca_en_demo --template llama3 \
  --output_dir out
