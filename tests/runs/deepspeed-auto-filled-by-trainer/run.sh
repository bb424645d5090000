deepspeed --num_gpus=4 train.py \
  --deepspeed ds_config.json \
  --model_name_or_path Qwen/Qwen2.5-1.5B \
  --per_device_train_batch_size 2 \
  --gradient_accumulation_steps 8 \
  --bf16 True
