import os

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map={"": int(os.environ["LOCAL_RANK"])})
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2)
trainer = Trainer(model=model, args=args)
trainer.train()
