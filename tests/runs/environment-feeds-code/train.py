import torch
from torch.utils.data import DataLoader

from data import dataset, model, optimizer

import os

BATCH = int(os.environ.get("BATCH", 4))
ACCUM = 8

loader = DataLoader(dataset, batch_size=BATCH, shuffle=True)
for epoch in range(3):
    for step, batch in enumerate(loader):
        loss = model(**batch).loss / ACCUM
        loss.backward()
        if (step + 1) % ACCUM == 0:
            optimizer.step()
            optimizer.zero_grad()
