from transformers import BitsAndBytesConfig
def make(**more):
    return BitsAndBytesConfig(bnb_4bit_quant_type="nf4", **more)
def choose(four):
    return BitsAndBytesConfig(load_in_4bit=four, bnb_4bit_quant_type="nf4")
