#!/usr/bin/env bash
torchrun --nproc_per_node "${GPUS:-1}" train.py
