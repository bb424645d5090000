from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

from rewards import reward

args = GRPOConfig(output_dir="out", per_device_train_batch_size=8, gradient_accumulation_steps=4, num_generations=16, vllm_tensor_parallel_size=2, use_vllm=True, max_completion_length=256)
trainer = GRPOTrainer(model="Qwen/Qwen2.5-0.5B", reward_funcs=reward, args=args, train_dataset=load_dataset("trl-lib/tldr", split="train"))
trainer.train()
