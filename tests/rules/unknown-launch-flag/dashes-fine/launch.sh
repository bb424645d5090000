accelerate launch --multi-gpu --num-processes=4 -q --debug -- train.py
