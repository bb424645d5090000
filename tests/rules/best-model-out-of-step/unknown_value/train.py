from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    load_best_model_at_end=True,
    eval_strategy="steps",
    eval_steps=value,
    save_steps=500,
)
