accelerate launch --config_file acc.yaml sft.py
