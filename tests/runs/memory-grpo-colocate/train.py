from trl import GRPOConfig, GRPOTrainer

from data import dataset, reward

args = GRPOConfig(output_dir="out", per_device_train_batch_size=8, use_vllm=True, vllm_mode="colocate", vllm_gpu_memory_utilization=0.4, vllm_enable_sleep_mode=True, beta=0.04)
trainer = GRPOTrainer(model="Qwen/Qwen2.5-0.5B", reward_funcs=reward, args=args, train_dataset=dataset)
trainer.train()
