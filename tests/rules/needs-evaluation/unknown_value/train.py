from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    lr_scheduler_type="reduce_lr_on_plateau",
    eval_strategy=value,
)
