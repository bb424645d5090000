from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    fsdp="full_shard",
    deepspeed="ds.json",
)
