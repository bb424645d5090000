#!/usr/bin/env bash
deepspeed --num_gpus 2 train.py --deepspeed "$CONFIG"
