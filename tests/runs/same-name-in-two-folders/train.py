import torch
from torch.utils.data import DataLoader

from data import dataset, model, optimizer

import argparse

import yaml

parser = argparse.ArgumentParser()
parser.add_argument("--config", default="config.yaml")
args = parser.parse_args()
cfg = yaml.safe_load(open(args.config))

loader = DataLoader(dataset, batch_size=cfg["training"]["batch_size"], shuffle=True)
for epoch in range(3):
    for step, batch in enumerate(loader):
        loss = model(**batch).loss / cfg["training"]["accumulation_steps"]
        loss.backward()
        if (step + 1) % cfg["training"]["accumulation_steps"] == 0:
            optimizer.step()
            optimizer.zero_grad()
