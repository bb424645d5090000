import torch

def train(model, optimizer, batches):
    for step, x in enumerate(batches):
        try:
            loss = model(x).mean()
            loss.backward()
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
        if step % 100 == 0:
            torch.cuda.empty_cache()
