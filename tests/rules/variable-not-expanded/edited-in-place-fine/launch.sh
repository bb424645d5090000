sed -i "s/\${SLURM_NODEID}/$SLURM_NODEID/" accelerate_config.yaml
accelerate launch --config_file accelerate_config.yaml train.py
