from trl import SFTConfig, SFTTrainer
from unsloth import FastLanguageModel

from data import dataset

max_seq_length = 2048
model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Qwen2.5-7B", max_seq_length=max_seq_length, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=16, lora_alpha=16)
trainer = SFTTrainer(
    model=model,
    tokenizer=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(per_device_train_batch_size=2, gradient_accumulation_steps=4, output_dir="outputs"),
)
trainer.train()
