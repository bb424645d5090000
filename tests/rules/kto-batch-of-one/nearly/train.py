from trl import KTOConfig

args = KTOConfig(
    output_dir="out",
    per_device_train_batch_size=1,
    loss_type="apo_zero_unpaired",
)
