tune run --nproc_per_node 2 full_finetune_distributed --config 8B_full.yaml batch_size=4
