from dataclasses import dataclass


@dataclass
class TrainConfig:
    batch_size: int = 16
    accumulation_steps: int = 4
    epochs: int = 3
