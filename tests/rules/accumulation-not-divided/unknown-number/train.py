import torch

def train(model, optimizer, batches, options):
    for step, (x, y) in enumerate(batches):
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        if (step + 1) % options.accumulation == 0:
            optimizer.step()
            optimizer.zero_grad()
