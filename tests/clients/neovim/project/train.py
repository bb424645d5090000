import argparse

import yaml
from accelerate import Accelerator
from torch.utils.data import DataLoader


def main(model, dataset):
    parser = argparse.ArgumentParser()
    parser.add_argument("--config")
    args = parser.parse_args()
    with open(args.config) as handle:
        cfg = yaml.safe_load(handle)
    rate = cfg["learning_rate"] * 1.0
    accelerator = Accelerator(gradient_accumulation_steps=cfg["gradient_accumulation_steps"])
    loader = DataLoader(dataset, batch_size=cfg["batch_size"], num_workers=4)
    model, loader = accelerator.prepare(model, loader)
