accelerate launch --config_file accelerate_config.yaml --cpu train.py
