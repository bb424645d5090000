#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=cuda:0,cuda:1
python train.py
