import os

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", torch_dtype="auto")
teacher = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", device_map="auto")
teacher.eval()
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2)
trainer = Trainer(model=model, args=args)
trainer.train()
