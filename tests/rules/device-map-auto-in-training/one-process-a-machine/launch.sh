accelerate launch --multi_gpu --num_processes 2 --num_machines 2 --machine_rank 0 --main_process_ip 10.0.0.1 --main_process_port 29500 train.py
