from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    gradient_checkpointing=value,
    gradient_checkpointing_kwargs={"use_reentrent": False},
)
