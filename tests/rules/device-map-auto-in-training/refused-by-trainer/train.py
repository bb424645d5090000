from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def main(dataset):
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto")
    arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=4, bf16=True, dataloader_num_workers=4)
    Trainer(model=model, args=arguments, train_dataset=dataset).train()


main(None)
