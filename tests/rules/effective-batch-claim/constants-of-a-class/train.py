import torch
from accelerate import Accelerator
from transformers import AutoModelForSequenceClassification

from config import Config

accelerator = Accelerator(gradient_accumulation_steps=Config.GRADIENT_ACCUMULATION_STEPS)
model = AutoModelForSequenceClassification.from_pretrained("bert-base-chinese")
loader = torch.utils.data.DataLoader(range(1000), batch_size=Config.BATCH_SIZE)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for batch in loader:
    with accelerator.accumulate(model):
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
