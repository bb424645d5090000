hooks = []


class Handle:
    def __init__(self, hook):
        self.hook = hook

    def remove(self):
        hooks.remove(self.hook)


def register_optimizer_step_post_hook(hook):
    hooks.append(hook)
    return Handle(hook)


class Optimizer:
    def step(self):
        for hook in list(hooks):
            hook(self, (), {})
