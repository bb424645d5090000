import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", torch_dtype="auto")
b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype="half")
c = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
d = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype="float16")
e = AutoTokenizer.from_pretrained("Qwen/Qwen3-4B", dtype="bf16")
