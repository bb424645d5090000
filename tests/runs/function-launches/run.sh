train() {
  torchrun --nproc_per_node "$1" train.py --batch-size "$2"
}
train 2 4
