set -x

read -r -d '' training_commands <<EOF
openrlhf.cli.train_sft \
   --train_batch_size 256 \
   --micro_train_batch_size 2
EOF

deepspeed --module $training_commands
