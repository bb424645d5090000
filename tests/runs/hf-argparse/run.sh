#!/bin/bash
NPROC=${NPROC:-8}
torchrun --nproc_per_node=$NPROC --nnodes 2 --node_rank $RANK train.py -b 2
