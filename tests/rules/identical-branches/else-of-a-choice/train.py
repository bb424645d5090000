def choose(fast):
    if fast:
        batch_size = 4
    else:
        batch_size = 4
    return batch_size
