from transformers import TrainingArguments

from settings import read

args = TrainingArguments(**read("args.yaml"))
