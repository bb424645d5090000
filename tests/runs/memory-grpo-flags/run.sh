trl grpo --config g.yaml --vllm_gpu_memory_utilization 0.6
