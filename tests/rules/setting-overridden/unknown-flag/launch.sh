accelerate launch --config_file accelerate_config.yaml --num_processes $N train.py
accelerate launch --config_file accelerate_config.yaml --num_processes ${1:-8} train.py
