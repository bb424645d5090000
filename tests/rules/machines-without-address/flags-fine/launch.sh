accelerate launch --config_file accelerate_config.yaml --main_process_ip 10.0.0.1 --main_process_port 29511 train.py
