import json
import deepspeed
import torch

DS_CONFIG = {
    "train_micro_batch_size_per_gpu": 1,
    "bf16": {
        "enabled": True,
    },
    "zero_optimization": {
        "stage": 2,
        "reduce_bucket_size": 100000,
        "allgather_bucket_size": 100000,
        "contiguous_gradients": True,
    },
}


def main(model):
    with open("ds_generated.json", "w") as f:
        json.dump(DS_CONFIG, f)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    engine, _, _, _ = deepspeed.initialize(
        model=model,
        model_parameters=model.parameters(),
        optimizer=optimizer,
        config="ds_generated.json",
    )
    return engine
