export ACCELERATE_GRADIENT_ACCUMULATION_STEPS=auto
accelerate launch --num_processes 1 train.py
