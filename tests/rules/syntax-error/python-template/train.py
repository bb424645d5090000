import torch
{% if lora %}
from peft import LoraConfig
{% endif %}
