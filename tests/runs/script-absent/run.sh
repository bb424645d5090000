accelerate launch --multi_gpu --num_processes 4 missing.py --per_device_train_batch_size 2
