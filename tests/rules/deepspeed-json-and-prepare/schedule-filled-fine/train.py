from accelerate import Accelerator
from accelerate.utils import DummyOptim, DummyScheduler
from torch.utils.data import DataLoader


def main(model, dataset):
    accelerator = Accelerator()
    optimizer = DummyOptim(model.parameters(), lr=1e-4)
    scheduler = DummyScheduler(optimizer, total_num_steps=1000, warmup_num_steps=100)
    loader = DataLoader(dataset, batch_size=4, num_workers=4)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
