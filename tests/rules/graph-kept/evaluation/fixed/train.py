import torch

def evaluate(model, batches):
    model.eval()
    total, losses = 0.0, []
    for x, y in batches:
        output = model(x)
        loss = torch.nn.functional.mse_loss(output, y)
        total += loss.item()
        losses.append(loss.item())
    return total / len(batches)
