import torch
from torch.utils.data import DataLoader

from data import dataset, model, optimizer

class Config:
    batch_size = 4
    grad_accum_steps = 8
    epochs = 3


cfg = Config()

loader = DataLoader(dataset, batch_size=cfg.batch_size, shuffle=True)
for epoch in range(cfg.epochs):
    for step, batch in enumerate(loader):
        loss = model(**batch).loss / cfg.grad_accum_steps
        loss.backward()
        if (step + 1) % cfg.grad_accum_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
