from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from data import dataset
import torch
from transformers import BitsAndBytesConfig

bnb = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True)
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", quantization_config=bnb)
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, learning_rate=2e-5)
trainer = Trainer(model=model, args=args, train_dataset=dataset)
trainer.train()
