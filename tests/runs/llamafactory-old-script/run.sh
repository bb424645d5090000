deepspeed --num_gpus 8 src/train_bash.py \
    --deepspeed ds.json \
    --stage sft \
    --model_name_or_path baichuan-inc/Baichuan2-7B-Base \
    --finetuning_type lora \
    --lora_target W_pack \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 4 \
    --learning_rate 5e-5 \
    --fp16
