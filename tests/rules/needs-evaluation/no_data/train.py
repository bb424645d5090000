from datasets import Dataset
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
data = Dataset.from_dict({"input_ids": [[5, 6]]})
trainer = Trainer(model, TrainingArguments("out", eval_strategy="epoch"), train_dataset=data)
