import deepspeed
import torch


def main(model, groups):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    engine, optimizer, _, _ = deepspeed.initialize(
        model=model,
        model_parameters=model.parameters(),
        optimizer=optimizer,
        mpu=groups,
        config="ds_config.json",
    )
    return engine
