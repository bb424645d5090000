from transformers import Trainer, TrainingArguments


def main(model, dataset):
    args = TrainingArguments("out", deepspeed="ds_config.json", max_grad_norm=float(input()))
    Trainer(model=model, args=args, train_dataset=dataset).train()
