accelerate launch --config_file accelerate_config.yaml --gpu_ids $IDS train.py
