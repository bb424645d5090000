from trl import SFTConfig, SFTTrainer

args = SFTConfig(output_dir="out", per_device_train_batch_size=4)
SFTTrainer(model="Qwen/Qwen2.5-0.5B", args=args, train_dataset=None).train()
