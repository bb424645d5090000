accelerate launch --config_file accelerate_config.yaml --zero_stage 3 --offload_param_device cpu train.py
