from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    fsdp=value,
    deepspeed="ds.json",
)
