from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser

from data import load

if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    script_args, training_args, model_args = parser.parse_args_and_config()
    trainer = SFTTrainer(model=model_args.model_name_or_path, args=training_args, train_dataset=load(script_args))
    trainer.train()
