python train.py training.batch_size=2
