accelerate launch --config_file accelerate_config.yaml --fp8_format E4M3 --mixed_precision bf16 train.py
