accelerate launch --use_fsdp --num_processes 4 train.py
