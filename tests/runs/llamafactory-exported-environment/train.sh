#!/bin/bash
export FORCE_TORCHRUN=1
export NNODES=2
export NODE_RANK=$1
export NPROC_PER_NODE=8
lmf train qwen.yaml
