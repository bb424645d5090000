export MASTER_PORT=29501
export WORLD_SIZE=4
accelerate launch --multi_gpu --num_processes 2 train.py
