class Config:
    BATCH_SIZE = 16
    GRADIENT_ACCUMULATION_STEPS = 4  # effective batch = 16 * 3(GPU) * 8 = 384
