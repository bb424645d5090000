import torch
from accelerate import Accelerator

def train(model, loader, options):
    accelerator = Accelerator(gradient_accumulation_steps=options.accumulation)
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(**batch).loss / 4
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
