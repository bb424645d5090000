from transformers import Trainer, TrainingArguments


def main(model, dataset):
    Trainer(model=model, args=TrainingArguments("out"), train_dataset=dataset).train()
