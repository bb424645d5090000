BATCH_SIZE = 16
GRAD_ACCUM = 4  # effective batch = 16 * 4 = 64
