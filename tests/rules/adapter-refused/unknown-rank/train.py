import argparse
from peft import LoraConfig
parser = argparse.ArgumentParser()
parser.add_argument("--rank", type=int, default=0)
options = parser.parse_args()
if options.rank > 0:
    adapter = LoraConfig(r=options.rank)
