import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def main(model, dataset, rows):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=rows)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
