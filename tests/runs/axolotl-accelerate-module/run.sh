accelerate launch --num_processes 2 --multi_gpu -m axolotl.cli.train configs/x.yml
