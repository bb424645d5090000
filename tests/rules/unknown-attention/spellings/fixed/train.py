from transformers import AutoModelForCausalLM
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", attn_implementation="flash_attention_2")
b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", attn_implementation="xformers")
c = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", **{"attn_implementation": "flash_attn_2"})
