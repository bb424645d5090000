import torch
from accelerate import Accelerator

def train(model, loader, options):
    accelerator = Accelerator(gradient_accumulation_steps=options.accumulation)
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
