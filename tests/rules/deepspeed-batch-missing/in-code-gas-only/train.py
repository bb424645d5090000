import deepspeed
import torch

DS_CONFIG = {
    "gradient_accumulation_steps": 2,
}


def main(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    engine, _, _, _ = deepspeed.initialize(
        model=model,
        model_parameters=model.parameters(),
        optimizer=optimizer,
        config=DS_CONFIG,
    )
    return engine
