accelerate launch --config_file accelerate_config.yaml --main_process_port 29511 --gpu_ids 0,1 train.py --lr 1e-4
