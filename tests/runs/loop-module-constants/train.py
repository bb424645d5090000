import torch
from torch.utils.data import DataLoader

from data import dataset, model, optimizer

BATCH_SIZE = 4
ACCUM_STEPS = 8
EPOCHS = 3
LR = 1e-4

loader = DataLoader(dataset, batch_size=BATCH_SIZE, shuffle=True)
for epoch in range(EPOCHS):
    for step, batch in enumerate(loader):
        loss = model(**batch).loss / ACCUM_STEPS
        loss.backward()
        if (step + 1) % ACCUM_STEPS == 0:
            optimizer.step()
            optimizer.zero_grad()
