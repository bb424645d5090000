import os
from torch.utils.data import DataLoader
def make(data, workers, sampler=None, **more):
    a = DataLoader(data, num_workers=workers, prefetch_factor=4, persistent_workers=workers > 0)
    b = DataLoader(data, persistent_workers=True, **more)
    return a, b, DataLoader(data, shuffle=sampler is None, sampler=sampler)
