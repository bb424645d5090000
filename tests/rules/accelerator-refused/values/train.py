from accelerate import Accelerator
a = Accelerator(mixed_precision="BF16")
b = Accelerator(mixed_precision=False)
c = Accelerator(even_batches=False, logging_dir="logs")
