import torch
from torch.utils.data import DataLoader

from data import dataset, model, optimizer

memory = torch.cuda.get_device_properties(0).total_memory / 1024**3
if memory < 16:
    BATCH_SIZE, ACCUM = 1, 16
else:
    BATCH_SIZE, ACCUM = 4, 4
for step, batch in enumerate(DataLoader(dataset, batch_size=BATCH_SIZE)):
    loss = model(**batch).loss / ACCUM
    loss.backward()
    if (step + 1) % ACCUM == 0:
        optimizer.step()
        optimizer.zero_grad()
