torchrun --nproc_per_node=2 train.py --output_dir out --gradient_accumulation_steps 4
