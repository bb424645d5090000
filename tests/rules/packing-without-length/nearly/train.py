from trl import SFTConfig

args = SFTConfig(
    output_dir="out",
    packing=True,
    max_length=16,
)
