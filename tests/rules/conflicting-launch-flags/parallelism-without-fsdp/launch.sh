accelerate launch --use_parallelism_config --parallelism_config_dp_shard_size 2 --num_processes 2 train.py
