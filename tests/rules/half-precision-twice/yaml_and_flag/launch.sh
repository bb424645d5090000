python train.py --config config.yaml --bf16 true
