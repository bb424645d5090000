from trl import KTOConfig

args = KTOConfig(
    output_dir="out",
    per_device_train_batch_size=2,
)
