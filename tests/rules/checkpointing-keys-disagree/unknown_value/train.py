from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    gradient_checkpointing=True,
    activation_checkpointing=value,
)
