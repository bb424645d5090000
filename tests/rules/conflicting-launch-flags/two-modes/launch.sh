accelerate launch --multi_gpu --use_deepspeed --num_processes 2 train.py
