import deepspeed
import torch

DS_CONFIG = {
    "train_micro_batch_size_per_gpu": 1, "gradient_clipping": 1.0,
    "zero_optimization": {
        "stage": 2,
        "reduce_bucket_size": 100000,
        "allgather_bucket_size": 100000,
    },
    "fp16": {
        "enabled": False,
    },
    "bf16": {
        "enabled": True,
    },
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
