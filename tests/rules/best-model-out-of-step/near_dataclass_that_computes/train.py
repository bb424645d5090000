from dataclasses import dataclass

from transformers import TrainingArguments


@dataclass
class Arguments(TrainingArguments):
    load_best_model_at_end: bool = True
    eval_strategy: str = "epoch"
    save_strategy: str = "steps"

    def __post_init__(self):
        self.save_strategy = "epoch"
        super().__post_init__()


args = Arguments(output_dir="out")
