import torch
from accelerate import Accelerator

accelerator = Accelerator()
model = torch.nn.Sequential(torch.nn.Linear(16, 16))
other = torch.nn.Sequential(torch.nn.Linear(16, 16))
optimizer = torch.optim.AdamW(model.parameters())
model, other, optimizer = accelerator.prepare(model, other, optimizer)
