accelerate launch --config_file accelerate_config.yaml --fsdp_auto_wrap_policy SIZE_BASED_WRAP train.py
