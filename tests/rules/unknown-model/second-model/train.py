from transformers import AutoModelForCausalLM, Trainer

JUDGE = "Qwen/Qwen3-1.8B"
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
judge = AutoModelForCausalLM.from_pretrained(JUDGE)
judge.eval()
Trainer(model=model).train()
