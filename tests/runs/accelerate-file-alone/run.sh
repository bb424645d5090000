accelerate launch --config_file=configs/acc.yaml src/train.py
