accelerate launch --num_processes 4 --multi_gpu grpo.py --vllm_tensor_parallel_size 2
