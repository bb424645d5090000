from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    gradient_accumulation_steps=value,
    accelerator_config={"gradient_accumulation_kwargs": {"num_steps": 4}},
)
