CUDA_VISIBLE_DEVICES=2,3 accelerate launch --config_file accelerate_config.yaml train.py
