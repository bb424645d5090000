accelerate launch --config_file accelerate_config.yaml --machine_rank "$SLURM_NODEID" train.py
