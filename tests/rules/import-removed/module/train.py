from transformers.deepspeed import HfDeepSpeedConfig
from trl.core import LengthSampler

print(HfDeepSpeedConfig, LengthSampler)
