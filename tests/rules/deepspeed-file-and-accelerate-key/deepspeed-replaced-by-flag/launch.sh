accelerate launch --config_file accelerate_config.yaml --multi_gpu train.py
