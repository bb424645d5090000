from trl import GRPOConfig
from elsewhere import value

args = GRPOConfig(
    output_dir="out",
    per_device_train_batch_size=value,
    num_generations=8,
)
