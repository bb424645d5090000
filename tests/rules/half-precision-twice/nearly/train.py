from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    fp16=False,
    bf16=True,
)
