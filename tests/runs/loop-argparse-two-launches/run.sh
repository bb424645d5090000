#!/bin/bash
for seed in 1 2; do
  python train.py --seed $seed --batch_size=2
done
python train.py --batch_size 8 --accumulation_steps 1
