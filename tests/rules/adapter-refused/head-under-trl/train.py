from peft import LoraConfig
from trl import SFTConfig, SFTTrainer
adapter = LoraConfig(r=8, target_modules=["q_proj", "lm_head"])
trainer = SFTTrainer(model="Qwen/Qwen3-4B", args=SFTConfig("out", model_init_kwargs={"dtype": "auto"}), train_dataset=[], peft_config=adapter)
