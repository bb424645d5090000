from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    fp16=value,
    bf16=True,
)
