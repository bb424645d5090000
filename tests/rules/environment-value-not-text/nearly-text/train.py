import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
settings = {}
settings["CUDA_VISIBLE_DEVICES"] = 0
