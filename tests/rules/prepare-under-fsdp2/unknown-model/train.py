from accelerate import Accelerator
from models import make_model

accelerator = Accelerator()
model = accelerator.prepare(make_model())
