accelerate launch --multi_gpu --num_processes 2 --mixed_precision fp8 --fp8_backend te train.py
