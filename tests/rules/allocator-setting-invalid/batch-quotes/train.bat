set PYTORCH_CUDA_ALLOC_CONF="max_split_size_mb:128"
set "PYTORCH_ALLOC_CONF=max_split_size_mb:128"
python train.py
