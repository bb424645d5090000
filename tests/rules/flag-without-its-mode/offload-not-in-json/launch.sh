accelerate launch --config_file accelerate_config.yaml --offload_optimizer_device cpu train.py
