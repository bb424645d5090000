from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

data = Dataset.from_dict({"text": ["t5"] * 4})
tokenizer = AutoTokenizer.from_pretrained("org/model")
model = AutoModelForCausalLM.from_pretrained("org/model", dtype="bfloat16")
trainer = SFTTrainer(
    model=model,
    args=SFTConfig("out"),
    train_dataset=data,
    tokenizer=tokenizer,
    max_seq_length=512,
    dataset_text_field="text",
)
other = DPOTrainer(model, args=DPOConfig("out"), train_dataset=data, beta=0.1)
