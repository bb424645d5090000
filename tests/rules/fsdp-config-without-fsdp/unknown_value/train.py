from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    fsdp=value,
    fsdp_config={"version": 2},
)
