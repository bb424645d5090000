from transformers import TrainingArguments
from trl import SFTTrainer


def build(**kwargs):
    training_config = kwargs.pop("training_config", None)
    args = TrainingArguments(output_dir="out", per_device_train_batch_size=training_config["batch"])
    return SFTTrainer(args=args, **kwargs)


trainer = build(model="Qwen/Qwen3-0.6B", training_config={"batch": 4})
