import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
for batch in batches(model):
    model(**batch).loss.backward()
    optimizer.step()
fresh = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
model = None
evaluate(fresh)
