accelerate launch --config_file accelerate_config.yaml $ARGS train.py
