ACCELERATE_LOG_LEVEL=info accelerate launch --config_file recipes/zero3.yaml --num_processes 7 scripts/grpo.py --config recipes/grpo.yaml
