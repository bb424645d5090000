accelerate launch --multi_gpu --num_processes auto train.py
