python train.py --batch_size 2
