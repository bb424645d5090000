import deepspeed
import torch

DS_CONFIG = {
    "train_micro_batch_size_per_gpu": 1, "gradient_clipping": 1.0,
}


def main(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    engine, _, _, _ = deepspeed.initialize(
        model=model,
        model_parameters=model.parameters(),
        optimizer=optimizer,
        config_params=DS_CONFIG,
    )
    return engine
