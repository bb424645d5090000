def workers(memory):
    if memory.free > 8:
        return 2
    elif memory.free >= 8.5:
        return 4
    elif 64 < memory.free:
        return 8
    return 0
