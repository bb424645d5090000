from trl import GRPOConfig
from elsewhere import value

args = GRPOConfig(
    output_dir="out",
    auto_find_batch_size=value,
)
