export OMP_NUM_THREADS=8
accelerate launch --multi_gpu --num_processes 2 train.py
