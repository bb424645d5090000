torchrun --nproc_per_node 2 /workspace/demo/train.py --config /workspace/demo/configs/sft.yaml
