NPROC_PER_NODE=2 swift rlhf --rlhf_type grpo --model Qwen/Qwen2.5-7B --dataset d --use_vllm true --vllm_mode colocate --vllm_gpu_memory_utilization 0.5 --sleep_level 1 --beta 0.01 --lora_dropout 0.1
