import argparse
from transformers import AutoModelForCausalLM, Trainer

parser = argparse.ArgumentParser()
parser.add_argument("--model_name_or_path", default=None)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path)
Trainer(model=model).train()
