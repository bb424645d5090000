from trl import KTOConfig
from elsewhere import value

args = KTOConfig(
    output_dir="out",
    per_device_train_batch_size=value,
)
