import deepspeed
import torch


def main(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    return deepspeed.initialize(model=model, optimizer=optimizer, config="ds_config.json")
