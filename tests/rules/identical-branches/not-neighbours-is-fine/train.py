def choose(gb):
    if gb < 8:
        batch_size = 4
    elif gb < 15:
        batch_size = 2
    else:
        batch_size = 4
    return batch_size
