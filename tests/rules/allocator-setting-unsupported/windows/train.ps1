$env:PYTORCH_ALLOC_CONF = "max_split_size_mb:64,expandable_segments:True"
python train.py
