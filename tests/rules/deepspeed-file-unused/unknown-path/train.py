import deepspeed
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--deepspeed")
args = parser.parse_args()


def main(model):
    return deepspeed.initialize(model=model, config=args.deepspeed)
