from transformers import AutoModelForCausalLM, BitsAndBytesConfig

settings = dict(type=BitsAndBytesConfig, load_in_4bit=True, bnb_4bit_quant_type="nf4")
made_of = settings.pop("type")
config = BitsAndBytesConfig(**settings)
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B", quantization_config=config)
