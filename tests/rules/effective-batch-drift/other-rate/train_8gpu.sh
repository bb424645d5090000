torchrun --nproc_per_node 8 train.py --learning_rate 2e-5 --per_device_train_batch_size 4 --gradient_accumulation_steps 2
