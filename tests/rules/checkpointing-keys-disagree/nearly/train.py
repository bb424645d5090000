from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    gradient_checkpointing=True,
    activation_checkpointing=True,
)
