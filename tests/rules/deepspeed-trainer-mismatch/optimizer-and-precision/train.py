from transformers import Trainer, TrainingArguments


def main(model, dataset):
    args = TrainingArguments("out", deepspeed="ds_config.json", learning_rate=5e-5, weight_decay=0.01, bf16=False)
    Trainer(model=model, args=args, train_dataset=dataset).train()
