import sys

import torch
from transformers import AutoModelForCausalLM

if sys.argv[1] == "full":
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.float32)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
for batch in batches(model):
    model(**batch).loss.backward()
    optimizer.step()
