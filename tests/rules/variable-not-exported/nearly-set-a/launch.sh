#!/usr/bin/env bash
set -a
CUDA_VISIBLE_DEVICES=0,1
set +a
python train.py
