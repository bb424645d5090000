import argparse

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from data import dataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="Qwen/Qwen2.5-0.5B")
    parser.add_argument("--batch-size", "-b", type=int, default=16)
    parser.add_argument("--grad-accum", type=int, default=4)
    args = parser.parse_args()
    model = AutoModelForCausalLM.from_pretrained(args.model)
    training = TrainingArguments("out", per_device_train_batch_size=args.batch_size, gradient_accumulation_steps=args.grad_accum)
    Trainer(model=model, args=training, train_dataset=dataset).train()


if __name__ == "__main__":
    main()
