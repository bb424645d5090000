accelerate launch --config_file accelerate_config.yaml --gradient_accumulation_steps 2 train.py
