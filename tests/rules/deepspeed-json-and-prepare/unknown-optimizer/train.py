from optimizers import make_optimizer
from accelerate import Accelerator
from torch.utils.data import DataLoader


def main(model, dataset):
    accelerator = Accelerator()
    optimizer = make_optimizer(model)
    loader = DataLoader(dataset, batch_size=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
