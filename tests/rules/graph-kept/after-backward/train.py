import torch

def train(model, optimizer, batches):
    losses = []
    for x in batches:
        loss = model(x).mean()
        loss.backward()
        losses.append(loss)
        optimizer.step()

@torch.no_grad()
def evaluate(model, batches):
    total = 0.0
    for x in batches:
        loss = model(x).mean()
        total += loss
    return total
