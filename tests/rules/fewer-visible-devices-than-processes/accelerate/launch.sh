#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=2,3 accelerate launch --multi_gpu --num_processes 4 train.py
