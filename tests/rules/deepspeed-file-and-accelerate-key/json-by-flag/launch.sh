accelerate launch --config_file accelerate_config.yaml --deepspeed_config_file ds_config.json train.py
