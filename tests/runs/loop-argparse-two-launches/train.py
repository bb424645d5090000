import torch
from torch.utils.data import DataLoader

from data import dataset, model, optimizer

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=16)
parser.add_argument("--accumulation_steps", type=int, default=4)
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()

loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True)
for epoch in range(args.epochs):
    for step, batch in enumerate(loader):
        loss = model(**batch).loss / args.accumulation_steps
        loss.backward()
        if (step + 1) % args.accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
