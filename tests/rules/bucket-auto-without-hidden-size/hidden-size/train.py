import torch
from transformers import PreTrainedConfig, PreTrainedModel, Trainer, TrainingArguments


class ScorerConfig(PreTrainedConfig):
    def __init__(self, hidden_size=64, **kwargs):
        super().__init__(**kwargs)
        self.hidden_size = hidden_size


class Scorer(PreTrainedModel):
    config_class = ScorerConfig

    def __init__(self, config):
        super().__init__(config)
        self.block = torch.nn.Linear(config.hidden_size, 1)


def main(dataset):
    model = Scorer(ScorerConfig())
    args = TrainingArguments("out", deepspeed="ds_config.json", per_device_train_batch_size=8)
    Trainer(model=model, args=args, train_dataset=dataset).train()
