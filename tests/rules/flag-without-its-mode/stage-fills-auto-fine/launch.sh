accelerate launch --config_file accelerate_config.yaml --zero_stage 3 train.py
