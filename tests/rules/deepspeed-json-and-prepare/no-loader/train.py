import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def main(dataset):
    accelerator = Accelerator()
    model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Linear(16, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=4)
    model, optimizer = accelerator.prepare(model, optimizer)
