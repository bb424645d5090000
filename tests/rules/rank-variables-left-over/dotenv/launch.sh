set -a
source .env
python train.py
