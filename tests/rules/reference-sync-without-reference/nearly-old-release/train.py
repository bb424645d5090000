from trl import GRPOConfig

args = GRPOConfig(output_dir="out", sync_ref_model=True, beta=0.0)
