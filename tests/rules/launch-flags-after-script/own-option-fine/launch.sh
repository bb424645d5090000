accelerate launch --config_file accelerate_config.yaml train.py --mixed_precision bf16 --num_processes 4
