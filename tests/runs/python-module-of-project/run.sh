PYTHONPATH=src torchrun --nproc_per_node 2 -m app.train
