export WORLD_SIZE=2
export MASTER_ADDR=localhost MASTER_PORT=29500
for i in 0 1; do
  RANK=$i LOCAL_RANK=$i python train.py &
done
wait
