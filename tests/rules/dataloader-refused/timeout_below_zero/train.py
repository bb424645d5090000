from torch.utils.data import DataLoader

loader = DataLoader([1, 2], batch_size=2, timeout=-1)
