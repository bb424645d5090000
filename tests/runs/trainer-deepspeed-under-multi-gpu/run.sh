accelerate launch --config_file acc.yaml train.py --deepspeed ds.json --per_device_train_batch_size 2
