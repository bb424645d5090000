from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    fsdp_config={"version": 2},
    fsdp=True,
)
