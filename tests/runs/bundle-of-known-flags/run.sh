#!/bin/bash
GPUS_PER_NODE=8
NNODES=2
DISTRIBUTED_ARGS="
    --nproc_per_node $GPUS_PER_NODE \
    --nnodes $NNODES \
    --node_rank 0
"
torchrun $DISTRIBUTED_ARGS train.py
