export MASTER_ADDR=10.0.0.1
torchrun --nnodes 2 --node_rank 0 --master_addr $MASTER_ADDR --nproc_per_node 8 train.py
