from peft import LoraConfig

config = LoraConfig(r=8, lora_dropout=0.05, target_parameters=["mlp.experts.gate_up_proj"])
