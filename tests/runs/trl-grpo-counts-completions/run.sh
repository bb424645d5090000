accelerate launch --num_processes 4 --multi_gpu grpo.py
