from trl import GRPOConfig, GRPOTrainer

from data import dataset, reward

args = GRPOConfig(output_dir="out", per_device_train_batch_size=8, use_vllm=True)
trainer = GRPOTrainer(model="Qwen/Qwen2.5-0.5B", reward_funcs=reward, args=args, train_dataset=dataset)
trainer.train()
