import deepspeed
import torch


def get_config():
    return {
        "train_micro_batch_size_per_gpu": 1, "gradient_clipping": 1.0,
        "bf16": {
            "enabled": True,
        },
        "zero_optimization": {
            "stage": 3,
            "reduce_bucket_size": 100000,
            "mics_shard_size": 2,
        },
    }


def main(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    engine, _, _, _ = deepspeed.initialize(
        model=model,
        model_parameters=model.parameters(),
        optimizer=optimizer,
        config=get_config(),
    )
    return engine
