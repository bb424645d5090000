import os

from settings import gpu

os.environ["CUDA_VISIBLE_DEVICES"] = gpu
