from trl import SFTConfig

args = SFTConfig(output_dir="out", fp16=True)
