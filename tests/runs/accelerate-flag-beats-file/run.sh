accelerate launch --config_file acc.yaml --num_processes 4 --mixed_precision fp16 train.py
