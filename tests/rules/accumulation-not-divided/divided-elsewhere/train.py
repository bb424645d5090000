import torch

def train(model, optimizer, batches):
    for step, (x, y) in enumerate(batches):
        loss = torch.nn.functional.mse_loss(model(x), y)
        (loss / 4).backward()
        if (step + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()

import torch

def other(model, optimizer, batches):
    for step, (x, y) in enumerate(batches):
        loss = torch.nn.functional.mse_loss(model(x), y) * 0.25
        loss.backward()
        if (step + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()

import torch

def third(model, optimizer, batches):
    for step, (x, y) in enumerate(batches):
        loss = compute_loss(model, x, y)
        loss.backward()
        if (step + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
