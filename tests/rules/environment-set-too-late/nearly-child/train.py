import os
import subprocess

import torch

torch.cuda.set_device(0)
env = dict(os.environ)
env["CUDA_VISIBLE_DEVICES"] = "1"
subprocess.run(["python", "eval.py"], env=env)
