import lightning as L
from torch.utils.data import DataLoader

from data import Module, dataset

loader = DataLoader(dataset, batch_size=8)
trainer = L.Trainer(strategy="ddp", accumulate_grad_batches=2, max_epochs=3)
trainer.fit(Module(), loader)
