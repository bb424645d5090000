from transformers import Trainer, TrainingArguments


def main(model, dataset):
    args = TrainingArguments("out", deepspeed="ds_config.json", max_steps=1000, warmup_steps=20)
    Trainer(model=model, args=args, train_dataset=dataset).train()
