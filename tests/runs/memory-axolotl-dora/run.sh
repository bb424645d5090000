axolotl train x.yml
