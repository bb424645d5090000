import deepspeed


def main(model, **rest):
    return deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json", **rest)
