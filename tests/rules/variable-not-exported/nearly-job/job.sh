#!/bin/bash
#SBATCH --gpus=2
CUDA_VISIBLE_DEVICES=0
torchrun --nproc_per_node 1 train.py
