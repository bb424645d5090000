from trl import GRPOConfig

args = GRPOConfig(
    output_dir="out",
    steps_per_generation=3,
)
