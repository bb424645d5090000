accelerate launch --config_file accelerate_config.yaml other.py --num_processes 4
