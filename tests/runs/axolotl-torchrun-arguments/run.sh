axolotl train x.yml --launcher torchrun -- --nproc_per_node=2
