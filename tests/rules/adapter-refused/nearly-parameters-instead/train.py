from peft import LoraConfig

config = LoraConfig(target_modules=[], target_parameters=["mlp.experts.gate_up_proj"])
