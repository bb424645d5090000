from trl import GRPOConfig, GRPOTrainer
from unsloth import FastLanguageModel

from data import dataset, reward

model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Qwen2.5-3B", max_seq_length=1024, load_in_4bit=True, fast_inference=True, gpu_memory_utilization=0.6)
model = FastLanguageModel.get_peft_model(model, r=32, lora_alpha=32, lora_dropout=0.05)
trainer = GRPOTrainer(
    model=model,
    reward_funcs=reward,
    train_dataset=dataset,
    args=GRPOConfig(per_device_train_batch_size=8, num_generations=8, output_dir="outputs"),
)
trainer.train()
