import argparse
from transformers import AutoModelForCausalLM
parser = argparse.ArgumentParser()
parser.add_argument("--dtype", default="bf16")
options = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=options.dtype)
def load(dtype="bf16"):
    return AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=dtype)
