import torch
from accelerate import Accelerator

accelerator = Accelerator()
model = torch.nn.Sequential(torch.nn.Linear(16, 16))
model = accelerator.prepare(model)
optimizer = torch.optim.AdamW(model.parameters())
