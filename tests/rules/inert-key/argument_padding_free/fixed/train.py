from trl import DPOConfig

args = DPOConfig(
    output_dir="out",
)
