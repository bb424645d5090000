$env:CUDA_VISIBLE_DEVICES = "0,1"
$procs = 2
torchrun --nproc_per_node $procs `
  train.py
