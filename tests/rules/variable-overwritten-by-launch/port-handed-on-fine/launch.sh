export MASTER_PORT=29501
accelerate launch --multi_gpu --num_processes 2 --main_process_port $MASTER_PORT train.py
