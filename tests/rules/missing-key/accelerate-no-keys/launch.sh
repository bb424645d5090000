accelerate launch --config_file accelerate.json train.py
