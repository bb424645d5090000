from transformers import AutoModelForCausalLM, Trainer

model = AutoModelForCausalLM.from_pretrained("meta-llama/Meta-Llama-3-8B")
Trainer(model=model).train()
