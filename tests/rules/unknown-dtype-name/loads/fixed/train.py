import torch
from peft import AutoPeftModelForCausalLM
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
DTYPE = "torch.bfloat16"
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", torch_dtype="float16")
b = AutoPeftModelForCausalLM.from_pretrained("me/adapter", dtype=DTYPE)
c = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype="bfloat16")
d = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype="nf4")
