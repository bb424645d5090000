import torch
from accelerate import Accelerator
def make(precision="fp32"):
    return Accelerator(mixed_precision=precision)
a = Accelerator(mixed_precision="bf16" if torch.cuda.is_bf16_supported() else "fp16")
