import os

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from data import dataset

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, learning_rate=2e-5)
trainer = Trainer(model=model, args=args, train_dataset=dataset)
trainer.train()
