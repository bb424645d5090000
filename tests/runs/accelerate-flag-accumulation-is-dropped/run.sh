accelerate launch --config_file acc.yaml --gradient_accumulation_steps 16 train.py
