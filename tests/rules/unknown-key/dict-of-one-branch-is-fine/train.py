import argparse

from peft import LoraConfig, OFTConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM

parser = argparse.ArgumentParser()
parser.add_argument("--method", default="lora")
parser.add_argument("--resume")
args = parser.parse_args()

if args.method == "lora":
    settings = {"r": 8, "lora_alpha": 16, "target_modules": "all-linear"}
else:
    settings = {"r": 8, "oft_block_size": 0, "module_dropout": 0.0, "target_modules": "all-linear"}
config = LoraConfig(**settings) if args.method == "lora" else OFTConfig(**settings)

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
loading = {}
if args.resume:
    loading["device_map"] = {"": "cpu"}
    model = PeftModel.from_pretrained(model, args.resume, is_trainable=True, **loading)
else:
    model = get_peft_model(model, config, **loading)
