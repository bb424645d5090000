from transformers import AutoModelForCausalLM
BUDGET = {0: "20GB", 1: "20GB", "cpu": "1TB"}
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto", max_memory=BUDGET)
b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="balanced", max_memory={"gpu": "8GB", "cpu": "80%"})
