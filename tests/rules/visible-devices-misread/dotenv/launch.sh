source .env
python train.py
