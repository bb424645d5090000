from transformers import Trainer, TrainingArguments


def main(model, dataset):
    args = TrainingArguments("out", deepspeed="ds_config.json", per_device_train_batch_size=8)
    Trainer(model=model, args=args, train_dataset=dataset).train()
