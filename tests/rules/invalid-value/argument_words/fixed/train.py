from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    optim="adamw_8bit",
    eval_strategy="epoch",
    fsdp="full_shard",
)
