import torch

criterion = torch.nn.CrossEntropyLoss()
scaler = torch.amp.GradScaler()

def train(model, optimizer, batches):
    for step, (x, y) in enumerate(batches):
        loss = criterion(model(x), y)
        scaler.scale(loss / 4).backward()
        if (step + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
