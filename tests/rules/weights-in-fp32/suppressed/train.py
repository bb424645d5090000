from peft import LoraConfig
from trl import SFTConfig, SFTTrainer

trainer = SFTTrainer(
    "meta-llama/Llama-2-7b-hf",  # vramlint: ignore[weights-in-fp32] masters are wanted
    args=SFTConfig("out", per_device_train_batch_size=1, max_length=512),
    train_dataset=load(),
    peft_config=LoraConfig(r=16, lora_dropout=0.0, target_modules=["q_proj", "v_proj"]),
)
trainer.train()
