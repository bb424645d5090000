from transformers import Trainer, TrainingArguments


class Own(Trainer):
    def __init__(self, *args, scale=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.scale = scale


trainer = Own(model=None, args=TrainingArguments("out"), scale=2.0)
