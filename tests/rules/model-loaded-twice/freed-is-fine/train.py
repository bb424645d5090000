import torch
from transformers import AutoModelForCausalLM

first = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
lengths = measure(first)
del first
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
for batch in batches(model, lengths):
    model(**batch).loss.backward()
    optimizer.step()
