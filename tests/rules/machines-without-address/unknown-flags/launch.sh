accelerate launch --config_file accelerate_config.yaml $RENDEZVOUS train.py
