import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def main(model, dataset):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=4, num_workers=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
