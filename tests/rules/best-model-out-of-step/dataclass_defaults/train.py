from dataclasses import dataclass

from transformers import TrainingArguments


@dataclass
class Arguments(TrainingArguments):
    note: str = "first"
    load_best_model_at_end: bool = True
    eval_strategy: str = "epoch"
    save_strategy: str = "steps"


args = Arguments(output_dir="out")
