from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    fsdp="",
    deepspeed="ds.json",
)
