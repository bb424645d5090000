# A training as users write it, over stand-ins for torch and transformers that count steps.
import vramlint
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

vramlint.watch()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
Trainer(model, TrainingArguments("out", per_device_train_batch_size=1)).train()
print("trained")
