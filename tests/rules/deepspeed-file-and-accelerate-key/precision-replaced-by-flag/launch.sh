accelerate launch --config_file accelerate_config.yaml --mixed_precision bf16 train.py
