import torch
from transformers import BitsAndBytesConfig
a = BitsAndBytesConfig(load_in_4bit=True)
b = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4")
c = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)
