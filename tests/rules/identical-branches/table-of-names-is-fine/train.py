def choose(name):
    if name == "7b":
        batch_size = 4
        num_workers = 2
    elif name == "13b":
        batch_size = 4
        num_workers = 2
    else:
        batch_size = 1
        num_workers = 2
    return batch_size, num_workers
