accelerate launch $FLAGS --nproc_per_node 4 train.py
