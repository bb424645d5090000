from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    dataloader_prefetch_factor=4,
    dataloader_num_workers=value,
)
