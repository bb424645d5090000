from transformers import AutoModelForCausalLM, HfArgumentParser
from trl import ModelConfig, RewardConfig, RewardTrainer

model_args, args = HfArgumentParser((ModelConfig, RewardConfig)).parse_args_into_dataclasses()
trainer = RewardTrainer(model_args.model_name_or_path, args=args, train_dataset=load())
trainer.train()
