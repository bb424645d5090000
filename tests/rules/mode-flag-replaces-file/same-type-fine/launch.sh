accelerate launch --config_file accelerate_config.yaml --use_fsdp train.py
