import json

from peft import LoraConfig

config = LoraConfig(r=8, modules_to_save=json.loads(input()))
