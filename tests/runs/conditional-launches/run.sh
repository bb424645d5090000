if [ "$1" = "multi" ]; then
  torchrun --nproc_per_node 4 train.py
else
  CUDA_VISIBLE_DEVICES=0 python train.py
fi
