from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    torch_empty_cache_steps=0,
    warmup_steps=-1,
)
