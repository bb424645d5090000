cd "$(dirname "$0")"
python ../train.py --config config.yaml
