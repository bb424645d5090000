accelerate launch --multi_gpu --num_processes 2 train.py
accelerate launch --use_deepspeed --num_processes 2 train.py
accelerate launch --use_megatron_lm --multi_gpu --num_processes 4 train.py
