accelerate launch --config_file accelerate_config.yaml --multi_gpu --num_processes 4 train.py
