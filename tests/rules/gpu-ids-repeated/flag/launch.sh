accelerate launch --multi_gpu --num_processes 3 --gpu_ids 1,2,1 train.py
