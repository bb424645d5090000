from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("out", device_map="auto")
tokenizer = AutoTokenizer.from_pretrained("out")
model.eval()
print(tokenizer.decode(model.generate(**tokenizer("hi", return_tensors="pt"))[0]))
