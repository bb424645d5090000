export NPROC_PER_NODE=2
swift sft --model Qwen/Qwen2.5-7B-Instruct --train_type lora --lora_rank 16 --per_device_train_batch_size 2 --gradient_accumulation_steps 16 --deepspeed zero2
