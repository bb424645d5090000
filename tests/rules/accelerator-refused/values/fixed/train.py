from accelerate import Accelerator
a = Accelerator(mixed_precision="bf16")
b = Accelerator(mixed_precision="no")
c = Accelerator(even_batches=False, logging_dir="logs")
