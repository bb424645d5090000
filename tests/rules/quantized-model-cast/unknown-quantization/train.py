import sys, torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
quantization = BitsAndBytesConfig(load_in_8bit=True) if "--quantize" in sys.argv else None
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", quantization_config=quantization)
model.half()
