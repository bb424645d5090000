import torch
import yaml

with open("config.yaml") as handle:
    cfg = yaml.safe_load(handle)

model = torch.nn.Linear(4, 4)
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["learning_rate"])
for batch in torch.utils.data.DataLoader(range(9), batch_size=cfg["batch_size"]):
    model(batch).sum().backward()
    optimizer.step()
