from dataclasses import dataclass

import torch


@dataclass
class Config:
    # effective batch = 4 * 8 = 32
    batch_size: int = 4
    grad_accum_steps: int = 4


def train(config: Config):
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = torch.utils.data.DataLoader(range(1000), batch_size=config.batch_size)
    for step, batch in enumerate(loader):
        loss = model(batch).sum() / config.grad_accum_steps
        loss.backward()
        if (step + 1) % config.grad_accum_steps == 0:
            optimizer.step()
            optimizer.zero_grad()


train(Config())
