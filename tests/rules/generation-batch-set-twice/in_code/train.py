from trl import GRPOConfig

args = GRPOConfig(
    output_dir="out",
    generation_batch_size=24,
    steps_per_generation=3,
)
