from trl_helpers import PPOConfig
from .trl import PPOTrainer

print(PPOConfig, PPOTrainer)
