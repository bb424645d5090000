import sys

from accelerate import Accelerator, FullyShardedDataParallelPlugin

plugin = FullyShardedDataParallelPlugin(fsdp_version=int(sys.argv[1]), forward_prefetch=True)
accelerator = Accelerator(fsdp_plugin=plugin)
