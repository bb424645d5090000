import torch
from torch.utils.data import DataLoader

from data import dataset, model, optimizer

from omegaconf import OmegaConf

cfg = OmegaConf.load("conf/train.yaml")

loader = DataLoader(dataset, batch_size=cfg.training.batch_size, shuffle=True)
for epoch in range(cfg.training.epochs):
    for step, batch in enumerate(loader):
        loss = model(**batch).loss / cfg.training.accumulation_steps
        loss.backward()
        if (step + 1) % cfg.training.accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
