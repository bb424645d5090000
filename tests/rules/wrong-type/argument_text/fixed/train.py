from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    learning_rate=2e-5,
    bf16=False,
    report_to="none",
)
