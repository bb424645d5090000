def train(model, optimizer, batches, every):
    for step, x in enumerate(batches):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        if step % every == 0:
            optimizer.zero_grad()
