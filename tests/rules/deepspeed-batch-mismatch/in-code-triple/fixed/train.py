import deepspeed
import torch

DS_CONFIG = {
    "train_batch_size": 8, "gradient_clipping": 1.0,
    "train_micro_batch_size_per_gpu": 2,
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
