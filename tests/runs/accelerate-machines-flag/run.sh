accelerate launch --config_file acc.yaml --num_machines 4 --num_processes 32 --machine_rank 0 train.py
