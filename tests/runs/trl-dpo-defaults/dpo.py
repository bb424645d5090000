from trl import DPOConfig, DPOTrainer

from data import dataset, model, tokenizer

BATCH = 2
trainer = DPOTrainer(model, args=DPOConfig("out", per_device_train_batch_size=BATCH), train_dataset=dataset, processing_class=tokenizer)
trainer.train()
