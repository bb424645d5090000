from transformers import Trainer, TrainingArguments


def main(model, dataset):
    args = TrainingArguments("out", deepspeed="ds_config.json", bf16=False)
    Trainer(model=model, args=args, train_dataset=dataset).train()
