from datasets import load_dataset
from trl import SFTConfig, SFTTrainer
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(output_dir="out", per_device_train_batch_size=2, bf16=True),
    train_dataset=load_dataset("trl-lib/Capybara", split="train"),
)
trainer.train()
