import deepspeed
import torch


def main(model):
    optimizer = build(model)
    return deepspeed.initialize(model=model, optimizer=optimizer, config="ds_config.json")
