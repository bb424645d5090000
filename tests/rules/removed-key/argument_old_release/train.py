from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    evaluation_strategy="no",
    warmup_ratio=0.1,
)
