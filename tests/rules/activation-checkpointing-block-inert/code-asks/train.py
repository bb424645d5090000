import deepspeed


def main(model):
    deepspeed.checkpointing.configure(None, deepspeed_config="ds_config.json")
    return deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
