import deepspeed
import torch


def main(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    engine, _, _, _ = deepspeed.initialize(
        model=model,
        model_parameters=model.parameters(),
        optimizer=optimizer,
        config={
            "train_micro_batch_size_per_gpu": 1, "gradient_clipping": 1.0,
            "bf16": {
                "enabled": True,
            },
            "zero_optimization": {
                "stage": 2,
            },
        },
    )
    return engine
