from datasets import Dataset
from elsewhere import something
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

data = Dataset.from_dict({"text": ["a"]})
args = SFTConfig("out", model_init_kwargs={"dtype": "bfloat16"})
trainer = SFTTrainer("my-org/tiny", args=args, train_dataset=data)
