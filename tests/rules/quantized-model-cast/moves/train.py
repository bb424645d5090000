import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", quantization_config=quantization)

from peft import LoraConfig, get_peft_model
model.to("cuda")
adapted = get_peft_model(model, LoraConfig(r=8, task_type="CAUSAL_LM"))
adapted.to(torch.bfloat16)
plain = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
plain.half()
