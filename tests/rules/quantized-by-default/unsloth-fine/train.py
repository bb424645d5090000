from unsloth import FastLanguageModel

model, tokenizer = FastLanguageModel.from_pretrained(
    model_name="my-org/tiny-llama",
    max_seq_length=2048,
    load_in_4bit=False,
)
