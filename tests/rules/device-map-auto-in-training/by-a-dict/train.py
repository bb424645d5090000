import os

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

kwargs = {"device_map": "auto", "torch_dtype": "bfloat16"}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", **kwargs)
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2)
trainer = Trainer(model=model, args=args)
trainer.train()
