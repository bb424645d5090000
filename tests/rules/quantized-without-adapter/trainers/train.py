import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", quantization_config=quantization)

from peft import prepare_model_for_kbit_training
from trl import SFTConfig, SFTTrainer
model = prepare_model_for_kbit_training(model)
trainer = SFTTrainer(model=model, args=SFTConfig("out"), train_dataset=[])
trainer.train()
