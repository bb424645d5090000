from trl import GRPOConfig
from elsewhere import value

args = GRPOConfig(
    output_dir="out",
    num_generations=value,
)
