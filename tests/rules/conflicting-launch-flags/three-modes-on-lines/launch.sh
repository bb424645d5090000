accelerate launch \
  --cpu \
  --use_fsdp \
  --multi_gpu \
  train.py
