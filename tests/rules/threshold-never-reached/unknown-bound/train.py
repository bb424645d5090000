def workers(free, low, high):
    if free < high:
        return 4
    elif free < low:
        return 1
