import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16, bnb_4bit_quant_type="nf4")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=quantization, device_map="auto")
model = get_peft_model(model, LoraConfig(r=8))
trainer = Trainer(model=model, args=TrainingArguments(output_dir="out"))
trainer.train()
