def train(model, optimizer, batches):
    for step, x in enumerate(batches):
        optimizer.zero_grad()
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(loss)
