#!/usr/bin/env bash
swift rlhf --model Qwen/Qwen2.5-7B-Instruct --rlhf_type kto --packing true --attn_impl sdpa
