#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=0,1
export CUDA_VISIBLE_DEVICES
python train.py
