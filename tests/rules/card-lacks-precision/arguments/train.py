from transformers import TrainingArguments

args = TrainingArguments(output_dir="out", bf16=True, tf32=True)
