def sign(n):
    if n < 0:
        return None
    elif n < 5:
        return None
    return n
