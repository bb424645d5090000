import torch
from accelerate import Accelerator

from config import BATCH_SIZE, GRAD_ACCUM

accelerator = Accelerator(gradient_accumulation_steps=GRAD_ACCUM, split_batches=True)
model = torch.nn.Linear(4, 4)
loader = torch.utils.data.DataLoader(range(1000), batch_size=BATCH_SIZE)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for batch in loader:
    with accelerator.accumulate(model):
        accelerator.backward(model(batch).sum())
        optimizer.step()
        optimizer.zero_grad()
