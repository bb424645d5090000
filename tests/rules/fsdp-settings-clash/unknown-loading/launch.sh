accelerate launch --config_file accelerate_config.yaml --fsdp_cpu_ram_efficient_loading $LOADING train.py
