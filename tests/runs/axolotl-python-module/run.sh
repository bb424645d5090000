CUDA_VISIBLE_DEVICES=0 python -m axolotl.cli.train x.yml
