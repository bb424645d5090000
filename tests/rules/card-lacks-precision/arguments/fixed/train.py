from transformers import TrainingArguments

args = TrainingArguments(output_dir="out", fp16=True, tf32=False)
