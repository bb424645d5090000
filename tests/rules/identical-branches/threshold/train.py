def choose(free_gb, configured):
    if free_gb < 8:
        batch_size = configured // 2
    elif free_gb < 15:
        batch_size = configured
    else:
        batch_size = configured
    return batch_size
