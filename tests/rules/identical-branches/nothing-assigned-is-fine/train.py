def run(n):
    if n < 8:
        pass
    elif n < 15:
        pass
    else:
        raise ValueError(n)
