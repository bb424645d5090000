export ACCELERATE_GRADIENT_ACCUMULATION_STEPS=8
accelerate launch --config_file acc.yaml train.py
