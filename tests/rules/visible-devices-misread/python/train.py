import os

os.environ["CUDA_VISIBLE_DEVICES"] = "cuda:1"
os.environ["HIP_VISIBLE_DEVICES"] = "0-1"
import torch
