from trl import GRPOConfig

args = GRPOConfig(
    output_dir="out",
    use_vllm=True,
    vllm_mode="colocate",
    vllm_gpu_memory_utilization=0.9,
)
