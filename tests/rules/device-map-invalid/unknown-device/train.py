import os
from transformers import AutoModelForCausalLM
def load(device="gpu"):
    return AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map=device)
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map=os.environ.get("MAP", "gpu"))
