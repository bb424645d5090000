from transformers import AutoModelForCausalLM
def load(budget, size, map="auto"):
    a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto", max_memory=budget)
    b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto", max_memory={i: f"{size}G" for i in range(2)})
    return a, b, AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto", max_memory={0: size, "cpu": "1GB"})
