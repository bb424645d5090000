#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=2,3
deepspeed --include=localhost:0,1 train.py
