from transformers import BitsAndBytesConfig
a = BitsAndBytesConfig(load_in_8bit=True)
