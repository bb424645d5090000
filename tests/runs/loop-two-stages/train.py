import torch
from torch.utils.data import DataLoader

from data import grpo_data, model, optimizer, policy_loss, rollout, sft_data

SFT_BATCH_SIZE = 4
SFT_GRAD_ACCUM = 8
GRPO_BATCH_SIZE = 2
GRPO_GRAD_ACCUM = 4
K_ROLLOUTS = 4


def run_sft():
    for step, batch in enumerate(DataLoader(sft_data, batch_size=SFT_BATCH_SIZE)):
        loss = model(**batch).loss / SFT_GRAD_ACCUM
        loss.backward()
        if (step + 1) % SFT_GRAD_ACCUM == 0:
            optimizer.step()
            optimizer.zero_grad()


def run_grpo():
    for step, prompts in enumerate(DataLoader(grpo_data, batch_size=GRPO_BATCH_SIZE)):
        samples = rollout(model, prompts, num_return_sequences=K_ROLLOUTS)
        loss = policy_loss(model, samples) / GRPO_GRAD_ACCUM
        loss.backward()
        if (step + 1) % GRPO_GRAD_ACCUM == 0:
            optimizer.step()
            optimizer.zero_grad()


run_sft()
run_grpo()
