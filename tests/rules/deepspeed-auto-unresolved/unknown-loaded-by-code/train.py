import json

import deepspeed


def main(model):
    with open("ds_config.json") as file:
        config = json.load(file)
    config["train_micro_batch_size_per_gpu"] = 4
    return deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
