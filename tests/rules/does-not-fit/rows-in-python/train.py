# 微调
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B", dtype="bfloat16")
args = TrainingArguments("out", per_device_train_batch_size=64, bf16=True)
trainer = Trainer(model, args, train_dataset=load(max_length=2048))
trainer.train()
