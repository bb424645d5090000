$env:PYTORCH_ALLOC_CONF = "expandable_segments:True"
python train.py
