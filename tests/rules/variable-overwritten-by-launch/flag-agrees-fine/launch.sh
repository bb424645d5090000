ACCELERATE_MIXED_PRECISION=fp16 accelerate launch --multi_gpu --num_processes 2 --mixed_precision fp16 train.py
