export MASTER_ADDR=$HEAD
torchrun --nnodes 2 --node_rank 0 --nproc_per_node 8 train.py
