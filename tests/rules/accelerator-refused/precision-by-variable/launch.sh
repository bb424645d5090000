export ACCELERATE_MIXED_PRECISION=bfloat16
torchrun --nproc_per_node 2 train.py
