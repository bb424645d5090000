from trl import ModelConfig, ScriptArguments, GRPOConfig, GRPOTrainer, TrlParser

from data import load

if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
    script_args, training_args, model_args = parser.parse_args_and_config()
    trainer = GRPOTrainer(reward_funcs=[], model=model_args.model_name_or_path, args=training_args, train_dataset=load(script_args))
    trainer.train()
