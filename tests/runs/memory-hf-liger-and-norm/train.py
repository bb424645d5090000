from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from data import dataset

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, use_liger_kernel=True, max_grad_norm=0.5, torch_empty_cache_steps=10)
trainer = Trainer(model=model, args=args, train_dataset=dataset)
trainer.train()
