from transformers import AutoModelForCausalLM
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="cuda:0")
b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map=-1)
c = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="cpu")
d = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="none")
