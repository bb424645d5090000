def train(model, optimizer, batches, clear):
    for step, x in enumerate(batches):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        clear(step % 4)
