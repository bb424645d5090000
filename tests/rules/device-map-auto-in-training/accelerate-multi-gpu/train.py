import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM

accelerator = Accelerator()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
model, optimizer = accelerator.prepare(model, optimizer)
for batch in range(9):
    loss = model(batch).loss
    accelerator.backward(loss)
    optimizer.step()
