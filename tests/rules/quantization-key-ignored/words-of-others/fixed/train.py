import torch
from transformers import BitsAndBytesConfig
a = BitsAndBytesConfig(load_in_8bit=True, llm_int8_threshold=5.0)
b = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16, bnb_4bit_use_double_quant=True)
c = BitsAndBytesConfig(bnb_4bit_quant_type="nf4")
