accelerate launch --config_file recipes/zero2.yaml scripts/sft.py --config recipes/sft.yaml --per_device_train_batch_size 2
