from transformers import AutoModelForCausalLM
a = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", load_in_8bit=False, use_flash_attention_2=True)
b = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", **{"load_in_4bit": True})
