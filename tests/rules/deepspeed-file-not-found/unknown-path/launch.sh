accelerate launch --config_file accelerate_config.yaml --deepspeed_config_file $DS train.py
