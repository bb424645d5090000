accelerate launch --config_file accelerate_config.yaml --mixed_precision $1 train.py
