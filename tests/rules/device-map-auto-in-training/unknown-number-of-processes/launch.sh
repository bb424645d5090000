accelerate launch --multi_gpu --num_processes $N train.py
