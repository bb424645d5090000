accelerate launch --config_file "$CONFIG" --multi_gpu train.py
