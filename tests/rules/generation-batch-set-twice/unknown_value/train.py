from trl import GRPOConfig
from elsewhere import value

args = GRPOConfig(
    output_dir="out",
    generation_batch_size=value,
    steps_per_generation=3,
)
