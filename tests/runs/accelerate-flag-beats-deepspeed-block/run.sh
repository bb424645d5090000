accelerate launch --config_file acc.yaml --zero_stage 2 --gradient_accumulation_steps 8 train.py
