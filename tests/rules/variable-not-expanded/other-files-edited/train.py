# used here
from accelerate import Accelerator

accelerator = Accelerator()
