#!/usr/bin/env bash
swift rlhf --model Qwen/Qwen2.5-7B-Instruct --rlhf_type dpo --tuner_type lora --ref_model Qwen/Qwen2.5-7B
