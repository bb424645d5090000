deepspeed --num_gpus 8 train.py --zero_stage 3 --offload
