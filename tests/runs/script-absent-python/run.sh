python train.py --batch_size 16 --gradient_accumulation_steps 2
