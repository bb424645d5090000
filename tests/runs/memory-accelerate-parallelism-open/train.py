from accelerate import Accelerator, ParallelismConfig
from torch.utils.data import DataLoader

from settings import SIZE
from data import dataset, model, optimizer

accelerator = Accelerator(parallelism_config=ParallelismConfig(tp_size=SIZE))
loader = DataLoader(dataset, batch_size=4, shuffle=True)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for batch in loader:
    loss = model(**batch).loss
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
