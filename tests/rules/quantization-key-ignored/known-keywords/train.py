import torch
from transformers import BitsAndBytesConfig
class Mine(BitsAndBytesConfig):
    pass
a = BitsAndBytesConfig(load_in_8bit=True, llm_int8_enable_fp32_cpu_offload=True)
b = Mine(load_in_8bit=True, extra=1)
c = BitsAndBytesConfig(load_in_4bit=False, load_in_8bit=False)
