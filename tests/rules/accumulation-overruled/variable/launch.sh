export ACCELERATE_GRADIENT_ACCUMULATION_STEPS=8
accelerate launch --config_file accelerate_config.yaml train.py
