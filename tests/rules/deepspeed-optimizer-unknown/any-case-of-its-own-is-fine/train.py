import deepspeed


def main(model):
    return deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
