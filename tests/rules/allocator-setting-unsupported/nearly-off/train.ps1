$env:PYTORCH_CUDA_ALLOC_CONF = "expandable_segments:False"
python train.py
