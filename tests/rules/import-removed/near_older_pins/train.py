from transformers import AdamW, AutoTokenizer, TFAutoModel
from trl import (
    ORPOConfig,
    PPOConfig,
    PPOTrainer,
    SFTConfig,
)

print(AdamW, AutoTokenizer, TFAutoModel, ORPOConfig, PPOConfig, PPOTrainer, SFTConfig)
