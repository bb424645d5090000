from transformers import AutoModelForCausalLM
def load(map, **more):
    a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", max_memory={0: "20GB"}, **more)
    return a, AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map=map, max_memory={0: "20GB"})
