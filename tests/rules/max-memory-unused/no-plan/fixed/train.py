from transformers import AutoModelForCausalLM
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", max_memory={0: "20GB"}, device_map="auto")
b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map={"": 0}, max_memory={0: "20GB"})
c = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto", max_memory={0: "20GB"})
