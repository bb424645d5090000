from transformers import TrainingArguments

args = TrainingArguments(
    "out",
    auto_find_batch_size=True,
    deepspeed={"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"},
)
