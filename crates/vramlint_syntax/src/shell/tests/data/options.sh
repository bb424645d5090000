#!/usr/bin/env bash
set -euo pipefail
NUM_GPUS=8
MODEL="Qwen/Qwen2-7B"
DEBUG=false
EXTRA=()
usage() { echo "usage: $0 [--gpus N]"; exit 1; }
while [[ $# -gt 0 ]]; do
  case "$1" in
    --gpus) NUM_GPUS="$2"; shift 2 ;;
    --model=*) MODEL="${1#*=}"; shift ;;
    --debug) DEBUG=true; shift ;;
    -h|--help) usage ;;
    *) EXTRA+=("$1"); shift ;;
  esac
done
while getopts "n:m:" opt; do
  case $opt in
    n) NODES=$OPTARG ;;
    \?) exit 1 ;;
  esac
done
if [ -z "${MASTER_PORT:-}" ]; then
  MASTER_PORT=29500
fi
[ -z "$LR" ] && LR=1e-4
if [ "$DEBUG" = true ]; then BS=1; else BS=4; fi
CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node "$NUM_GPUS" --master_port=$MASTER_PORT \
  train.py --model "$MODEL" --lr $LR --bs $BS "${EXTRA[@]}" > "log.txt" 2>&1 &
wait
