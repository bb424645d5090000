torchrun --nproc_per_node=gpu train.py
