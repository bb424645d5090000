from transformers import TrainingArguments
from elsewhere import value

args = TrainingArguments(
    output_dir="out",
    optim=value,
)
