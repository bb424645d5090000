def choose(free_gb):
    if free_gb < 8:  # 显存不足
        batch_size = 4  # 小批
    elif free_gb < 16:  # 显存一般
        batch_size = 4  # 也是小批
    else:
        batch_size = 8
    return batch_size
