accelerate launch --config_file acc.yaml --num_processes 2 train.py
