from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj", "gate_proj", "lm_head", "embed_tokens", "layers.0.self_attn.k_proj"]))
