from accelerate import Accelerator

accelerator = Accelerator(mixed_precision="fp16")
