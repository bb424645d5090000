deepspeed --num_gpus 2 train.py --deepspeed /share/templates/other/ds.json
