import argparse

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=4)
parser.add_argument("--accum", type=int, default=4)
cli = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-1.7B")
args = TrainingArguments(
    output_dir="out", per_device_train_batch_size=cli.batch_size, gradient_accumulation_steps=cli.accum
)
Trainer(model=model, args=args).train()
