from datasets import Dataset
from elsewhere import something
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

data = Dataset.from_dict({"text": ["a"]})
model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
lora = LoraConfig(r=8)
model = get_peft_model(model, lora)
trainer = SFTTrainer(model, args=SFTConfig("out"), train_dataset=data)
