import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:64"
os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"
import torch
