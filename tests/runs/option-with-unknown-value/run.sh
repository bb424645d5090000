torchrun --nproc_per_node=2 train.py --batch-size=$1 --grad-accum "$2"
