#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=""
python train.py
