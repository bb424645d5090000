from transformers import AutoModelForCausalLM, Trainer

model = AutoModelForCausalLM.from_pretrained(pretrained_model_name_or_path="Qwen/Qwen3-8B")
Trainer(model=model).train()
