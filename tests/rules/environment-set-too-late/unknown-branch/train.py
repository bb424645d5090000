import os

import torch

if os.environ.get("PROBE"):
    torch.cuda.set_device(0)
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
