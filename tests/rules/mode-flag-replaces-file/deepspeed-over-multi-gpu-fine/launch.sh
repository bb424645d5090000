accelerate launch --config_file accelerate_config.yaml --use_deepspeed train.py
