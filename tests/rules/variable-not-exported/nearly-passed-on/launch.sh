#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=0,1
deepspeed --include localhost:$CUDA_VISIBLE_DEVICES train.py
