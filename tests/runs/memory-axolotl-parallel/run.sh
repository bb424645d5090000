axolotl train x.yml --num-processes 8
