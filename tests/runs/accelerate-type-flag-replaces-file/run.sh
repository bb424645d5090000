accelerate launch --config_file acc.yaml --multi_gpu --num_processes 4 train.py
