import ruamel.yaml
from transformers import TrainingArguments

with open("args.yaml") as handle:
    cfg = ruamel.yaml.safe_load(handle)
args = TrainingArguments(**cfg)
