import torch
from torch.utils.data import DataLoader

from data import dataset, model, optimizer

from config import TrainConfig

cfg = TrainConfig(batch_size=2)

loader = DataLoader(dataset, batch_size=cfg.batch_size, shuffle=True)
for epoch in range(cfg.epochs):
    for step, batch in enumerate(loader):
        loss = model(**batch).loss / cfg.accumulation_steps
        loss.backward()
        if (step + 1) % cfg.accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
