#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=2,3 deepspeed train.py
