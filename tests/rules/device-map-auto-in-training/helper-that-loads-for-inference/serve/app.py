from transformers import AutoModelForCausalLM


class Server:
    def __init__(self, path):
        self.model = AutoModelForCausalLM.from_pretrained(path, device_map="auto")
