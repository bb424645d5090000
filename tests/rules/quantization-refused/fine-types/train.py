from transformers import BitsAndBytesConfig
a = BitsAndBytesConfig(load_in_4bit=False, load_in_8bit=True)
b = BitsAndBytesConfig(load_in_8bit=True, llm_int8_threshold=6.0, llm_int8_skip_modules=["lm_head"])
