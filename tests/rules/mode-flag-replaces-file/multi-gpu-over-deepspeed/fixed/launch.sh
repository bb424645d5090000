accelerate launch --config_file accelerate_config.yaml --num_processes 4 train.py
