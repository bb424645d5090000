accelerate launch --config_file accelerate_config.yaml --num_processes $N train.py
