accelerate launch --use_xpu --num_processes 1 train.py
