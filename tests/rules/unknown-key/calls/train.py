from peft import LoraConfig
from torch.utils.data import DataLoader
from transformers import Trainer, TrainingArguments

config = LoraConfig(rank=8, alpha=16, target_modules=["q_proj"])
loader = DataLoader([1, 2], batchsize=2)
options = {"workers": 2}
other = DataLoader([1, 2], **options)
trainer = Trainer(model=None, args=TrainingArguments("out"), dataset=[1])
