accelerate launch --config_file acc.yaml --fsdp_offload_params true --fsdp_sharding_strategy HYBRID_SHARD train.py
