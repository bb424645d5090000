export $(grep -v '^#' .env | xargs)
python train.py
