import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", quantization_config=quantization)

from peft import LoraConfig, get_peft_model
a = LoraConfig(r=8, lora_alpha=16, lora_dropout=5, task_type="CAUSAL_LM")
b = LoraConfig(r=8, target_modules="all-linear")
c = LoraConfig(r=8, target_modules=["q_proj", "v_proj"], bias=True)
d = LoraConfig(r=8, target_modules=[])
model = get_peft_model(model, LoraConfig(r=-1, init_lora_weights="pissa"))
