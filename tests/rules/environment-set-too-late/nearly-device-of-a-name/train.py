import os

import torch

device = torch.device("cuda")
if os.name == "nt":
    device = "cpu"
model = torch.nn.Linear(8, 8).to(device)
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
