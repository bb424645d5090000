import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
ref_model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
for batch in pairs(model, ref_model):
    model(**batch).loss.backward()
    optimizer.step()
