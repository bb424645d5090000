from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from data import dataset

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, deepspeed="ds.json", bf16=True)
trainer = Trainer(model=model, args=args, train_dataset=dataset)
trainer.train()
