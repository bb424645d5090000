NPROC_PER_NODE=8 swift sft --model Qwen/Qwen2.5-7B --sequence_parallel_size 4 --per_device_train_batch_size 1 --gradient_accumulation_steps 8 --max_length 65536
