from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from data import dataset
import torch

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B", torch_dtype=torch.float16)
model.to("cuda")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, learning_rate=2e-5)
trainer = Trainer(model=model, args=args, train_dataset=dataset)
trainer.train()
