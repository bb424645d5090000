import torch
from transformers import AutoModelForCausalLM
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="cuda:1")
b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map={"": 0})
c = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map=None)
d = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map=torch.device("cpu"))
