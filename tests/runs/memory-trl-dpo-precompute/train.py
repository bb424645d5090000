from trl import DPOConfig, DPOTrainer

from data import dataset

args = DPOConfig(output_dir="out", per_device_train_batch_size=2, precompute_ref_log_probs=True, beta=0.2)
trainer = DPOTrainer(model="Qwen/Qwen2.5-0.5B", args=args, train_dataset=dataset)
trainer.train()
