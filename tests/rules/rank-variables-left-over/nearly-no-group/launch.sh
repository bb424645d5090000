export RANK=0 LOCAL_RANK=0 WORLD_SIZE=2
export MASTER_ADDR=localhost MASTER_PORT=29500
python train.py
