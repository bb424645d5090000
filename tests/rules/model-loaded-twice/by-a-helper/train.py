import torch
from transformers import AutoModelForCausalLM


def load(name):
    # 自带的加载函数
    return AutoModelForCausalLM.from_pretrained(name, dtype=torch.bfloat16)


def main():
    policy = load("Qwen/Qwen3-4B")
    simulator = load("Qwen/Qwen3-4B")
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-6)
    for batch in episodes(policy, simulator):
        policy(**batch).loss.backward()
        optimizer.step()


main()
