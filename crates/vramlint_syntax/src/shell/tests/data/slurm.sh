#!/bin/bash
#SBATCH --job-name=训练
#SBATCH --nodes=2 --gres=gpu:4   # four each
#SBATCH --output="logs/%x %j.out"
##SBATCH --time=1:00:00

# 中文注释：主节点
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=29500
GPUS_PER_NODE=4
WORLD_SIZE=$(($SLURM_NNODES * $GPUS_PER_NODE))
TOTAL=$((GPUS_PER_NODE * 2))

export LAUNCHER="accelerate launch \
    --num_machines $SLURM_NNODES \
    --num_processes $TOTAL \
    --machine_rank \$SLURM_PROCID \
    "
export CMD="train.py --bs 4"

srun --jobid $SLURM_JOB_ID torchrun \
    --nnodes=$SLURM_NNODES \
    --nproc_per_node=$SLURM_GPUS_ON_NODE \
    --rdzv_endpoint=$MASTER_ADDR:$MASTER_PORT \
    train.py --deepspeed ds.json

srun bash -c "$LAUNCHER $CMD --role $WORLD_SIZE" 2>&1 | tee out.log
