import torch
from accelerate import Accelerator, DeepSpeedPlugin
from torch.utils.data import DataLoader

def_config = {
    "train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": "auto",
    "zero_optimization": {
        "stage": 2,
        "reduce_bucket_size": 100000,
        "allgather_bucket_size": 100000,
    },
}


def main(model, dataset):
    plugin = DeepSpeedPlugin(hf_ds_config=def_config)
    accelerator = Accelerator(deepspeed_plugin=plugin)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=4, shuffle=True, num_workers=4, pin_memory=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
