export OMP_NUM_THREADS=8
accelerate launch --multi_gpu --num_processes 2 --num_cpu_threads_per_process 4 train.py
