#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=GPU-8932f937,GPU-0b2a1c3d
python train.py
