from peft import LoraConfig

config = LoraConfig(r=8, lora_dropout=0.0, target_parameters=["mlp.experts.gate_up_proj"])
