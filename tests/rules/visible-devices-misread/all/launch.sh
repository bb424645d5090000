#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=all
python train.py
