OMP_NUM_THREADS=4 python3 -u -m torch.distributed.launch --nproc_per_node=4 --use_env --master_port 29501 train.py
