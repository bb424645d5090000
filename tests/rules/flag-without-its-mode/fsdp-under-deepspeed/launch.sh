accelerate launch --config_file accelerate_config.yaml --fsdp_offload_params true train.py
