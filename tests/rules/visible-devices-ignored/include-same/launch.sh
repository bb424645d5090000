#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=2,3
deepspeed --include localhost:2,3 train.py
