from transformers import AutoModelForCausalLM, Trainer

model = AutoModelForCausalLM.from_pretrained("google/gemma-3-8b-it")
Trainer(model=model).train()
