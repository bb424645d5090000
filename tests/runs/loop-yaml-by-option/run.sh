python train.py
python train.py --config=configs/large.yaml
