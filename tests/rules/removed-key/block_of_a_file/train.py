import yaml
from transformers import TrainingArguments

with open("config.yaml") as file:
    config = yaml.safe_load(file)
args = TrainingArguments(**config["training"])
