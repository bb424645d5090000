from peft import LoraConfig

config = LoraConfig(r=8, task_type="causal_lm")
