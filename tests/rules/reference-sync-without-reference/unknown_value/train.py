from trl import GRPOConfig
from elsewhere import value

args = GRPOConfig(
    output_dir="out",
    sync_ref_model=True,
    beta=value,
)
