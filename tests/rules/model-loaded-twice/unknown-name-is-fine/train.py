import torch
from transformers import AutoModelForCausalLM

agent = AutoModelForCausalLM.from_pretrained(names[0], dtype=torch.bfloat16)
user = AutoModelForCausalLM.from_pretrained(names[0], dtype=torch.bfloat16)
optimizer = torch.optim.AdamW(agent.parameters(), lr=1e-6)
for batch in episodes(agent, user):
    agent(**batch).loss.backward()
    optimizer.step()
