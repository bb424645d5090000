docker run --gpus all --env-file gpu.env trainer python train.py
