#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=$1 deepspeed --num_gpus 2 train.py
