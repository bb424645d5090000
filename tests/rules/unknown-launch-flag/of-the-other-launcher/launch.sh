accelerate launch --multi_gpu --nproc_per_node 4 train.py
