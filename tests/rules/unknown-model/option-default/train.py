import argparse
from transformers import AutoModelForCausalLM, Trainer

parser = argparse.ArgumentParser()
parser.add_argument("--model_name_or_path", default="Qwen/Qwen3-1.8B")
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path)
Trainer(model=model).train()
