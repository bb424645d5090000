"""Fine-tunes a model; what matters here is where the settings come from."""

import argparse

import torch
import yaml
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


def main(dataset):
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    args = parser.parse_args()
    with open(args.config, encoding="utf-8") as handle:
        cfg = yaml.safe_load(handle)

    accelerator = Accelerator(gradient_accumulation_steps=cfg["gradient_accumulation_steps"])
    model = AutoModelForCausalLM.from_pretrained(cfg["model_name"], dtype=torch.float32)
    loader = DataLoader(dataset, batch_size=cfg["batch_size"], shuffle=True, num_workers=4, pin_memory=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["learning_rate"])
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
