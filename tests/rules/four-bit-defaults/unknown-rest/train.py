from transformers import BitsAndBytesConfig
def make(four, **more):
    return BitsAndBytesConfig(load_in_4bit=four), BitsAndBytesConfig(load_in_4bit=True, **more)
