from accelerate import Accelerator, FullyShardedDataParallelPlugin

plugin = FullyShardedDataParallelPlugin(fsdp_version=2, forward_prefetch=True)
accelerator = Accelerator(fsdp_plugin=plugin)
