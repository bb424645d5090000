from trl import GRPOConfig

args = GRPOConfig(
    output_dir="out",
    auto_find_batch_size=False,
)
