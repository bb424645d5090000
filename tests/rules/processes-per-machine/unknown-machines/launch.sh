accelerate launch --config_file accelerate_config.yaml --num_machines $NODES --machine_rank $RANK train.py
