import torch
from transformers import AutoModelForCausalLM


class Fusion(torch.nn.Module):
    def __init__(self, path):
        super().__init__()
        self.llm = AutoModelForCausalLM.from_pretrained(path, device_map="auto")
