axolotl train x.yml --num-processes 4 --micro-batch-size 8
