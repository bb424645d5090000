accelerate launch --ipex --num_processes 1 train.py
