accelerate launch --config_file accelerate_config.yaml $EXTRA train.py
