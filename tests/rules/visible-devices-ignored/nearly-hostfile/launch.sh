#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=2,3 deepspeed --hostfile hosts --num_gpus 2 train.py
