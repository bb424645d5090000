torchrun --num_processes 4 train.py
