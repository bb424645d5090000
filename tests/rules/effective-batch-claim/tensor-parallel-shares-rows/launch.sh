CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 axolotl train sft.yaml
