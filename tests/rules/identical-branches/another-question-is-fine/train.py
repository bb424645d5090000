def choose(gb, fast):
    if gb < 8:
        batch_size = 4
    elif fast:
        batch_size = 4
    else:
        batch_size = 8
    return batch_size
