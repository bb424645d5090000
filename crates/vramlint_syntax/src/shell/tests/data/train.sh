#!/bin/bash
# 训练脚本
export NCCL_DEBUG=INFO WANDB_PROJECT="my proj"
cat > ds_config.json << EOT
{ "train_batch_size": $BS, "note": "accelerate launch it's" }
EOT
GPUS_PER_NODE=${1:-8}
OPTS="--lr 1e-4 --bs 4"   # 学习率
OPTS+=" --seed 1"
ARGS=(
  --model "meta-llama/Llama-3-8B"  # the model
  # --fp16
  --bf16
)
ARGS+=(--out "out/$GPUS_PER_NODE")
run() {
  local name=$1
  python eval.py --name "$name" ${2:-3}
}
run hello
accelerate launch \
  --num_processes $GPUS_PER_NODE \
  --config_file configs/ds.yaml \
  train.py $OPTS "${ARGS[@]}"
for seed in 1 2 3; do
  python train.py --seed $seed || echo failed
done
deepspeed --include localhost:0,1 --master_port=29501 train.py --deepspeed ds_config.json 2>&1 | tee out.log
