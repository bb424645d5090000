import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM


def load(name, device_map="auto"):
    return AutoModelForCausalLM.from_pretrained(name, device_map=device_map)


accelerator = Accelerator()
model = load("Qwen/Qwen3-4B")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
model, optimizer = accelerator.prepare(model, optimizer)
for batch in range(9):
    loss = model(batch).loss
    accelerator.backward(loss)
    optimizer.step()
