from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
a = LoraConfig(r=8, lora_alpha=16.0, lora_dropout=1, target_modules="all-linear", bias="lora_only", task_type="CAUSAL_LM")
b = LoraConfig(r=8, target_modules=r".*(q|v)_proj")
c = LoraConfig(r=8, target_modules=["q_proj", "lm_head"])
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
model = get_peft_model(model, LoraConfig(r=8, init_lora_weights="pissa"))
