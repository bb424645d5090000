from transformers import Trainer, TrainingArguments


def main(model, dataset):
    args = TrainingArguments("out", deepspeed="ds_config.json", learning_rate=3e-4)
    Trainer(model=model, args=args, train_dataset=dataset).train()
