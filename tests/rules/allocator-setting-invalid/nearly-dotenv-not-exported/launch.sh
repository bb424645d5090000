. ./.env
python train.py
