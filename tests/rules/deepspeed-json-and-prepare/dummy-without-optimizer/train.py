from accelerate import Accelerator
from accelerate.utils import DummyOptim
from torch.utils.data import DataLoader


def main(model, dataset):
    accelerator = Accelerator()
    optimizer = DummyOptim(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
