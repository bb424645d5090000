from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    optim="adamw8bit",
    eval_strategy="epochs",
    fsdp="fullshard",
)
