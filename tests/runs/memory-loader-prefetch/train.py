from accelerate import Accelerator
from torch.utils.data import DataLoader

from data import dataset, model, optimizer

accelerator = Accelerator()
loader = DataLoader(dataset, batch_size=4, num_workers=2, prefetch_factor=4)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for batch in loader:
    loss = model(**batch).loss
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
