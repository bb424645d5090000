import sys
from transformers import AutoModelForCausalLM
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", attn_implementation=sys.argv[1])
try:
    b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", attn_implementation="flash_attn_2")
except ValueError:
    b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
