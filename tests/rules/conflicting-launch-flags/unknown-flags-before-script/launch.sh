accelerate launch --use_parallelism_config $EXTRA train.py
