accelerate launch --config_file $CONFIG train.py
