torchrun --nproc_per_node 2 train.py --config cfg.yaml --batch_size 16
