from dotenv import load_dotenv

load_dotenv()

import torch

model = torch.nn.Linear(8, 8).cuda()
