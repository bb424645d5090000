import argparse

import deepspeed

from data import dataset, model

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=-1)
parser = deepspeed.add_config_arguments(parser)
args = parser.parse_args()
engine, _, loader, _ = deepspeed.initialize(args=args, model=model, model_parameters=model.parameters(), training_data=dataset)
for batch in loader:
    loss = engine(batch)
    engine.backward(loss)
    engine.step()
