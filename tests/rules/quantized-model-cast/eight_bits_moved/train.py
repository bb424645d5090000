from transformers import AutoModelForCausalLM, BitsAndBytesConfig

model = AutoModelForCausalLM.from_pretrained("org/model", quantization_config=BitsAndBytesConfig(load_in_8bit=True))
model = model.cuda()
