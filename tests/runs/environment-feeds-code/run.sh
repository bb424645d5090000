export BATCH=2
python train.py
