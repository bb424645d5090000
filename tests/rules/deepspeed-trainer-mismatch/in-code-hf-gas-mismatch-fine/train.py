from transformers import Trainer, TrainingArguments

DS_CONFIG = {
    "train_micro_batch_size_per_gpu": "auto",
    "gradient_accumulation_steps": "auto",
    "gradient_clipping": "auto",
    "zero_optimization": {
        "stage": 2,
        "reduce_bucket_size": 100000,
        "allgather_bucket_size": 100000,
    },
}


def main(model, dataset):
    args = TrainingArguments(
        "out",
        deepspeed=DS_CONFIG,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=4,
    )
    trainer = Trainer(model=model, args=args, train_dataset=dataset)
    trainer.train()
