import argparse

from accelerate import Accelerator

parser = argparse.ArgumentParser()
parser.add_argument("--mixed_precision")
parser.add_argument("--num_processes", type=int)
args = parser.parse_args()
accelerator = Accelerator(mixed_precision=args.mixed_precision)
