docker run --gpus all nvcr.io/nvidia/pytorch:25.01-py3 bash train.sh
