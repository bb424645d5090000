from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

trainer = SFTTrainer(
    model="Qwen/Qwen2.5-0.5B",
    args=SFTConfig(output_dir="out", per_device_train_batch_size=2, packing=True, padding_free=True),
    train_dataset=load_dataset("trl-lib/Capybara", split="train"),
)
trainer.train()
