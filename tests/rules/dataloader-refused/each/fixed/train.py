import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler
data = list(range(8))
DataLoader(data, 0)
DataLoader(data, batch_size=4, num_workers=2)
DataLoader(data, num_workers=0)
DataLoader(data, sampler=SequentialSampler(data))
DataLoader(data, batch_size=4, batch_sampler=BatchSampler(SequentialSampler(data), 2, False))
DataLoader(data, batch_size=None, drop_last=True)
