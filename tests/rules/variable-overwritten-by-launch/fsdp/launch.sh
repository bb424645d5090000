export FSDP_OFFLOAD_PARAMS=true
accelerate launch --config_file accelerate_config.yaml train.py
