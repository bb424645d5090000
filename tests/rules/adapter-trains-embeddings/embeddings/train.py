from peft import LoraConfig

config = LoraConfig(r=8, modules_to_save=["embed_tokens", "lm_head"])
