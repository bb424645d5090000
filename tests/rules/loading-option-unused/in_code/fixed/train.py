from datasets import Dataset
from elsewhere import something
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

data = Dataset.from_dict({"text": ["a"]})
model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
args = SFTConfig("out")
trainer = SFTTrainer(model, args=args, train_dataset=data)
