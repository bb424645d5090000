from transformers import AutoModelForCausalLM
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="sequential", max_memory={0: "20GB", "cpu": "60GB"})
b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", max_memory=None)
