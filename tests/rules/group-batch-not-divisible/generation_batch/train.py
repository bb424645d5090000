from trl import GRPOConfig

args = GRPOConfig(
    output_dir="out",
    per_device_train_batch_size=4,
    generation_batch_size=20,
    num_generations=5,
)
