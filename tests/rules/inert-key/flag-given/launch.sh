accelerate launch --config_file accelerate_config.yaml --enable_cpu_affinity train.py
