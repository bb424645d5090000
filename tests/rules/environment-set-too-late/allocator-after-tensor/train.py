import os

import torch


def main():
    probe = torch.zeros(1, device="cuda")
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
    return probe


main()
