from accelerate import Accelerator


def main(model, optimizer, things):
    accelerator = Accelerator()
    things = accelerator.prepare(things)
    model, optimizer = accelerator.prepare(model, optimizer)
