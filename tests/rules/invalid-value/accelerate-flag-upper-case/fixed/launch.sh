accelerate launch --num_processes 1 --mixed_precision bf16 train.py
