import transformers
from packaging.version import Version
from transformers import TrainingArguments

if Version(transformers.__version__) < Version("4.46"):
    args = TrainingArguments("out", evaluation_strategy="no")
else:
    args = TrainingArguments("out", eval_strategy="no")
