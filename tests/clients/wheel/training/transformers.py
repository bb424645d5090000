from torch.optim.optimizer import Optimizer


class TrainerCallback:
    pass


class AutoModelForCausalLM:
    @staticmethod
    def from_pretrained(name):
        return name


class TrainingArguments:
    def __init__(self, *args, **kwargs):
        pass


class Trainer:
    def __init__(self, model, args, callbacks=()):
        self.callbacks = callbacks

    def train(self):
        optimizer = Optimizer()
        for _ in range(3):
            optimizer.step()
            for callback in self.callbacks:
                callback.on_step_end(None, None, None)
