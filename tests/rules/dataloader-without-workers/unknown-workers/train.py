import torch
from torch.utils.data import DataLoader, TensorDataset

def train(model, dataset, workers):
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=workers)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
