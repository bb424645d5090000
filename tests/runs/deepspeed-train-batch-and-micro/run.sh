deepspeed --num_nodes 2 --num_gpus 8 --hostfile hosts train.py --deepspeed --deepspeed_config ds.json
