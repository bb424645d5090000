from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from data import dataset

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, gradient_checkpointing=True, gradient_checkpointing_kwargs={"use_reentrant": False})
trainer = Trainer(model=model, args=args, train_dataset=dataset)
trainer.train()
