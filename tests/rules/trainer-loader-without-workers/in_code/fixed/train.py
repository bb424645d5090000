from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    dataloader_prefetch_factor=4,
    dataloader_num_workers=2,
)
