python train.py --config sft.yaml
