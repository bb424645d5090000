import deepspeed
import torch

model = torch.nn.Linear(4, 4)
engine, optimizer, _, _ = deepspeed.initialize(model=model, config="ds_config.json")
for batch in range(9):
    loss = engine(batch)
    engine.backward(loss)
    engine.step()
