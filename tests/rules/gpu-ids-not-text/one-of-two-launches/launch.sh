accelerate launch --config_file accelerate_config.yaml --gpu_ids 0 train.py
accelerate launch --config_file accelerate_config.yaml train.py
