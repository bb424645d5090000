import torch
from transformers import PreTrainedConfig, PreTrainedModel, Trainer, TrainingArguments


class ScorerConfig(PreTrainedConfig):
    def __init__(self, width=64, **kwargs):
        super().__init__(**kwargs)
        self.width = width


class Scorer(PreTrainedModel):
    config_class = ScorerConfig

    def __init__(self, config):
        super().__init__(config)
        self.block = torch.nn.Linear(config.width, 1)


def main(dataset):
    model = build()
    args = TrainingArguments("out", deepspeed="ds_config.json", per_device_train_batch_size=8)
    Trainer(model=model, args=args, train_dataset=dataset).train()
