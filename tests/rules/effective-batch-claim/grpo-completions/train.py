from trl import GRPOConfig, GRPOTrainer

args = GRPOConfig(
    output_dir="out",
    per_device_train_batch_size=8,
    gradient_accumulation_steps=4,
    num_generations=8,
    # effective batch = 256 completions
)
trainer = GRPOTrainer(model="Qwen/Qwen3-1.7B", reward_funcs=len, args=args, train_dataset=None)
trainer.train()
