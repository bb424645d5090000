import deepspeed
from deepspeed.ops.adam import DeepSpeedCPUAdam


def main(model):
    optimizer = DeepSpeedCPUAdam(model.parameters(), lr=1e-4)
    return deepspeed.initialize(model=model, optimizer=optimizer, config="ds_config.json")
