python train.py --model_name_or_path Qwen/Qwen2.5-0.5B --per_device_train_batch_size 8 --gradient_accumulation_steps 64 --max_length 2048 --bf16 --output_dir out
