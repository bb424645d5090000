from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    gradient_accumulation_steps=value,
)
