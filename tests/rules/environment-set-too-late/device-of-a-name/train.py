import os

import torch

device = torch.device("cuda")
model = torch.nn.Linear(8, 8).to(device)
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
