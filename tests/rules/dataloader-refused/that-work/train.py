import torch
from torch.utils.data import DataLoader, SequentialSampler
data = list(range(8))
DataLoader(data, batch_size=None, shuffle=True)
DataLoader(data, num_workers=0, persistent_workers=False, prefetch_factor=None)
DataLoader(data, shuffle=False, sampler=SequentialSampler(data))
DataLoader(data, num_workers=2, prefetch_factor=4, persistent_workers=True)
