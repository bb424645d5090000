import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", quantization_config=quantization)

from helpers import with_adapters
from transformers import Trainer, TrainingArguments
with_adapters(model)
def run(options, peft_config):
    from trl import SFTTrainer
    return SFTTrainer(model=model, train_dataset=[], peft_config=peft_config), Trainer(with_adapters(model), TrainingArguments("out"))
