from accelerate import Accelerator
from torch.utils.data import DataLoader

from data import dataset, model, optimizer

accelerator = Accelerator()
loader = DataLoader(dataset, batch_size=4, shuffle=True)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for batch in loader:
    loss = model(**batch).loss
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
