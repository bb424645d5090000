from accelerate import Accelerator


def main(model):
    accelerator = Accelerator()
    model = accelerator.prepare(model)
