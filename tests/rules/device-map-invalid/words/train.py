from transformers import AutoModelForCausalLM
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="cuda0")
b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map=-1)
c = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="CPU")
d = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="none")
