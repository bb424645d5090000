#!/usr/bin/env bash
accelerate launch --config_file "$CONFIG" --num_processes 8 train.py
