from transformers import AutoModelForCausalLM, Trainer

# 基座模型
MODEL = "google/gemma-2-7b"
model = AutoModelForCausalLM.from_pretrained(MODEL)
Trainer(model=model).train()
