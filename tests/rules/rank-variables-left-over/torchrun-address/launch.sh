export MASTER_ADDR=10.0.0.1
export MASTER_PORT=29500
torchrun --nnodes 2 --node_rank 0 --nproc_per_node 8 train.py
