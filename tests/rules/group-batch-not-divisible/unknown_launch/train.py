"""Start it with accelerate launch."""

from trl import GRPOConfig

args = GRPOConfig(
    output_dir="out",
    per_device_train_batch_size=4,
    gradient_accumulation_steps=1,
    num_generations=8,
)
