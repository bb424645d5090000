accelerate launch --num_processes 2 --gradient_accumulation_steps 4 train.py
