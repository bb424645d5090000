from transformers import Trainer, TrainingArguments

DS_CONFIG = {
    "train_micro_batch_size_per_gpu": "auto",
    "gradient_accumulation_steps": "auto",
    "gradient_clipping": "auto",
    "bf16": {
        "enabled": True,
    },
}


def main(model, dataset):
    args = TrainingArguments(
        "out",
        deepspeed=DS_CONFIG,
        bf16=True,
    )
    trainer = Trainer(model=model, args=args, train_dataset=dataset)
    trainer.train()
