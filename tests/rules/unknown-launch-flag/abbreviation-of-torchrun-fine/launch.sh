torchrun --nproc 4 train.py
