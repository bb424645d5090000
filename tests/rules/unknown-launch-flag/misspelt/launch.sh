accelerate launch --multi_gpu --num_proceses=4 --mixed_precison bf16 train.py
