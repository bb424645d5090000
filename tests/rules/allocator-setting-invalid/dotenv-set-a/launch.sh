set -a
source .env
set +a
python train.py
