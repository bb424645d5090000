from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from data import dataset

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, fsdp="shard_grad_op auto_wrap offload", fsdp_config={"transformer_layer_cls_to_wrap": ["Qwen2DecoderLayer"], "activation_checkpointing": True})
trainer = Trainer(model=model, args=args, train_dataset=dataset)
trainer.train()
