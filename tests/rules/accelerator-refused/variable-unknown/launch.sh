export ACCELERATE_GRADIENT_ACCUMULATION_STEPS=$STEPS
accelerate launch --num_processes 1 train.py
