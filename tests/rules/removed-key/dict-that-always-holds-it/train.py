import argparse

from transformers import TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--eval", action="store_true")
args = parser.parse_args()

settings = {"output_dir": "out", "evaluation_strategy": "epoch"}
if args.eval:
    settings["eval_steps"] = 100
training_args = TrainingArguments(**settings)
