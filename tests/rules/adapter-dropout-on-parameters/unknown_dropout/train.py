import os

from peft import LoraConfig

config = LoraConfig(r=8, lora_dropout=float(os.environ["DROPOUT"]), target_parameters=["mlp.experts.gate_up_proj"])
