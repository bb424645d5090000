from transformers import TrainingArguments

args = TrainingArguments("out", accelerator_config={"split_batch": True})
