import torch

def evaluate(model, batches):
    total = 0.0
    for x in batches:
        loss = model(x).mean().item()
        total += loss
    return total
