CUDA_VISIBLE_DEVICES=0,1 llamafactory-cli train \
    --stage sft \
    --do_train True \
    --model_name_or_path Qwen/Qwen2.5-7B \
    --finetuning_type lora \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 8 \
    --cutoff_len 2048
