accelerate launch --gpu_ids 0,1 train.py
