import random

import torch

free_gb = torch.cuda.mem_get_info()[0] / 1024**3

if free_gb >= 40:
    batch_size = random.choice([4, 8])
else:
    batch_size = random.choice([4, 8])

print(batch_size)
