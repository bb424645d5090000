import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def main(model, dataset):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer = accelerator.prepare(model, optimizer)
