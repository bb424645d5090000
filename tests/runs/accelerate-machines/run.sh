accelerate launch --config_file acc.yaml --machine_rank $RANK --main_process_ip $MASTER train.py
