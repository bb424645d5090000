from transformers import Trainer, TrainingArguments


def main(model, dataset):
    args = TrainingArguments("out", gradient_accumulation_steps=4)
    Trainer(model=model, args=args, train_dataset=dataset).train()
