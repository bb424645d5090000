#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=0-3
python train.py
