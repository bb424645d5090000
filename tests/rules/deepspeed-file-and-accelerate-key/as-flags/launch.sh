accelerate launch --config_file accelerate_config.yaml --mixed_precision bf16 --zero_stage 2 train.py
