from transformers import TrainingArguments

args = TrainingArguments(
    output_dir="out",
    gradient_accumulation_steps=1,
    accelerator_config={"gradient_accumulation_kwargs": {"num_steps": 4}},
)
