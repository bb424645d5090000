from transformers import Trainer, TrainingArguments


def main(model, dataset):
    args = TrainingArguments("out", deepspeed="ds_config.json", max_grad_norm=1.0)
    Trainer(model=model, args=args, train_dataset=dataset).train()
