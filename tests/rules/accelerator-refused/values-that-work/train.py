from accelerate import Accelerator
a = Accelerator(mixed_precision=None)
b = Accelerator(mixed_precision="fp8", dispatch_batches=False)
