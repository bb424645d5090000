from transformers import AutoModelForCausalLM
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto", max_memory={0: "20 GB", 1: "8gib", "cpu": 10**9, "disk": "0.5GiB"})
