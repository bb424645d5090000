import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def main(model, dataset, batches):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer, batches = accelerator.prepare(model, optimizer, batches)
