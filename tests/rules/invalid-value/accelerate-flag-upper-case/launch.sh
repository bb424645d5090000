accelerate launch --num_processes 1 --mixed_precision BF16 train.py
