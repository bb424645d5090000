from transformers import BitsAndBytesConfig
a = BitsAndBytesConfig(load_in_4bit=True, load_in_8bit=True)
b = BitsAndBytesConfig(load_in_8bit=True, llm_int8_threshold=6.0, llm_int8_skip_modules="lm_head")
c = BitsAndBytesConfig(load_in_8bit=True)
d = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf8", bnb_4bit_compute_dtype="bfloat16")
