accelerate launch --multi_gpu --num_processes 4 train.py --nproc_per_node 4 --learning_rate 1e-4
