from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("org/model", attn_implementation="flash_attention_2")
