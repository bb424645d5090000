from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    learning_rat=2e-5,
)
