from transformers import AutoModelForCausalLM
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", attn_implementation="paged|sdpa")
b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", attn_implementation="kernels-community/flash-attn")
c = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", attn_implementation=None)
