from datasets import load_dataset
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer

trainer = SFTTrainer(
    model="Qwen/Qwen2.5-0.5B",
    args=SFTConfig(output_dir="out", per_device_train_batch_size=2, gradient_accumulation_steps=8, max_length=2048, packing=True),
    train_dataset=load_dataset("trl-lib/Capybara", split="train"),
    peft_config=LoraConfig(r=32, lora_alpha=64),
)
trainer.train()
