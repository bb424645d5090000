accelerate launch --config_file accelerate_config.yaml $FSDP train.py
