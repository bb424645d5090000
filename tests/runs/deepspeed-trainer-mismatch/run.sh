deepspeed --num_gpus 2 train.py --deepspeed ds.json --per_device_train_batch_size 8 --gradient_accumulation_steps 2
