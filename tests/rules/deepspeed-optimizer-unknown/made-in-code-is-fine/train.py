import deepspeed
import torch


def main(model):
    optimizer = torch.optim.AdamW(model.parameters())
    return deepspeed.initialize(model=model, optimizer=optimizer, config="ds_config.json")
