from trl import GRPOConfig

args = GRPOConfig(
    output_dir="out",
    generation_batch_size=None,
    steps_per_generation=3,
)
