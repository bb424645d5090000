export ACCELERATE_MIXED_PRECISION=$1
accelerate launch --config_file accelerate_config.yaml train.py
