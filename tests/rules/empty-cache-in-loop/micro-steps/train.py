import torch

def train(model, optimizer, batches):
    for step in range(10):
        for x in batches:
            torch.cuda.empty_cache()
            loss = model(x).mean() / 4
            loss.backward()
        optimizer.step()
