import torch
from torch.utils.checkpoint import checkpoint as ckpt

layer = torch.nn.Linear(4, 4)
hidden = ckpt(layer, torch.randn(2, 4, requires_grad=True), use_reentrant=True)
