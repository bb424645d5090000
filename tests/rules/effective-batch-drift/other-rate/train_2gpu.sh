torchrun --nproc_per_node 2 train.py --learning_rate 1e-5 --per_device_train_batch_size 4 --gradient_accumulation_steps 2
