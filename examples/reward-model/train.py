"""Trains a reward model; what matters here is where its settings come from."""

import argparse

import torch
import yaml
from accelerate import Accelerator
from torch.utils.data import DataLoader


def main(model, dataset):
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    args = parser.parse_args()
    with open(args.config, encoding="utf-8") as handle:
        cfg = yaml.safe_load(handle)

    accelerator = Accelerator(gradient_accumulation_steps=cfg["gradient_accumulation_steps"])
    loader = DataLoader(dataset, batch_size=cfg["batch_size"], shuffle=True, num_workers=4, pin_memory=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["learning_rate"])
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
