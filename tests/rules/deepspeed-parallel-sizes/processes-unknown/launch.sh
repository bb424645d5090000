#!/usr/bin/env bash
deepspeed --num_gpus "$GPUS" train.py
