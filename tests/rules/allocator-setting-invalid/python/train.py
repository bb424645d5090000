import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:true"
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb=64")
child = {**os.environ, "PYTORCH_CUDA_ALLOC_CONF": "backend:native"}
import torch
