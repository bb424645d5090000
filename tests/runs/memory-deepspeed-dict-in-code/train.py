from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from data import dataset

config = {"zero_optimization": {"stage": 2, "allgather_bucket_size": 200000000, "reduce_bucket_size": "auto", "overlap_comm": True}}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
trainer = Trainer(
    model=model,
    args=TrainingArguments(output_dir="out", per_device_train_batch_size=2, deepspeed=config),
    train_dataset=dataset,
)
trainer.train()
