accelerate launch --multi_gpu --num_proc 4 train.py
