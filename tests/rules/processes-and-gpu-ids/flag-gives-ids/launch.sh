accelerate launch --config_file accelerate_config.yaml --gpu_ids 0,1,2 train.py
