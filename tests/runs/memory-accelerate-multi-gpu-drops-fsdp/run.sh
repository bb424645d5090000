accelerate launch --config_file acc.yaml --multi_gpu train.py
