def workers(free, used, ask):
    if free < 8:
        return 1
    elif free <= 8:
        return 2
    elif used < 4:
        return 3
    elif free > 4:
        return 4
    if ask() < 8:
        return 1
    elif ask() < 4:
        return 2
