from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    per_device_train_batch_size=2,
    per_device_eval_batch_size=64,
    eval_strategy="steps",
    eval_accumulation_steps=4,
)
