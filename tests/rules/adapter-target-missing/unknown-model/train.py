from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

def adapt(name):
    model = AutoModelForCausalLM.from_pretrained(name)
    return get_peft_model(model, LoraConfig(r=8, target_modules=["query_key_value"]))
other = AutoModelForCausalLM.from_pretrained("me/my-own", trust_remote_code=True)
other = get_peft_model(other, LoraConfig(r=8, target_modules=["Wqkv"]))
